/** §2.4 Builds `environment` and `git` of a test from its group and its run. */
import type * as z from 'zod';
import type { Group } from '#shared/model/runs/group.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { Git, TestEnvironment } from './context-wire.ts';

export const describeEnvironment = (
  { framework }: Run,
  group: Group | undefined,
  groupId: string,
): z.infer<typeof TestEnvironment> => ({
  framework: { type: framework.type, version: framework.version },
  platform: group?.platform ?? null,
  project: groupId,
});

function findProof({ origin, hasOtherOrigins }: Run): z.infer<typeof Git>['proof'] {
  if (!origin || hasOtherOrigins) return undefined;
  return origin.provesCommit ? 'commit' : 'repository';
}

export const describeGit = (run: Run): z.infer<typeof Git> => ({
  repository: run.commit.remoteOrigin,
  branch: run.commit.branch,
  sha: run.commit.sha,
  pullRequest: describePullRequest(run),
  proof: findProof(run),
});

function describePullRequest({ commit, pullRequest }: Run): z.infer<typeof Git>['pullRequest'] {
  if (!pullRequest) return null;
  const { htmlUrl, issueUrl, baseRef } = commit.ghaEventData ?? {};
  return { number: pullRequest.id, url: htmlUrl ?? issueUrl ?? null, baseBranch: baseRef ?? null };
}
