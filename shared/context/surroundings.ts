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

export function describeGit(run: Run): z.infer<typeof Git> {
  const proof = findProof(run);
  return { ...describeCommit(run), ...(proof && { proof }) };
}

const describeCommit = ({ commit, pullRequest }: Run): z.infer<typeof Git> => ({
  repository: commit.remoteOrigin,
  branch: commit.branch,
  sha: commit.sha,
  pullRequest: pullRequest
    ? {
        number: pullRequest.id,
        url: commit.ghaEventData?.htmlUrl ?? commit.ghaEventData?.issueUrl ?? null,
        baseBranch: commit.ghaEventData?.baseRef ?? null,
      }
    : null,
});
