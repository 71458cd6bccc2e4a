/** Builds the row of a new run from the request that starts it. */
import type { NewRun } from '#shared/lifecycle/create-run.ts';
import { projectIsDeleted } from '#shared/lifecycle/errors.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { computeExpiry } from '#shared/model/runs/expiry.ts';
import { resolveRetention } from '#shared/model/runs/retention.ts';
import type { Framework, Run } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { collectTags, fitIntoRun } from './merge-run.ts';
import type { CreateRunBody } from './run-wire.ts';

const NUMBERED = /\/(?:pull|pulls|issues|merge_requests)\/(\d{1,12})(?:$|[/?#])/;

const OPEN_MERGE_REQUEST = /^[^!,]*!(\d+)/;
const IID = /^\d{1,12}$/;

/** Finds the number of the pull request in the links of a CI event, or in the variables of GitLab CI. */
function findPullRequest({ commit: { ghaEventData }, ci }: CreateRunBody): Run['pullRequest'] {
  const link = [ghaEventData?.htmlUrl, ghaEventData?.issueUrl].find((url) => url && NUMBERED.test(url));
  const number = NUMBERED.exec(link ?? '')?.[1];
  if (number !== undefined) return { id: number, title: ghaEventData?.prTitle ?? null };
  const { ciMergeRequestIid, ciMergeRequestTitle: title = null, ciOpenMergeRequests = '' } = ci?.params ?? {};
  // In the pipeline of a branch, GitLab sets only a list of the open merge requests, such as `acme/shop!7,acme/fork!8`.
  const id = ciMergeRequestIid ?? OPEN_MERGE_REQUEST.exec(ciOpenMergeRequests)?.[1];
  return id !== undefined && IID.test(id) ? { id, title } : undefined;
}

export interface Beginning extends Pick<Run, 'organizationId' | 'runId' | 'ciBuildId' | 'createdBy' | 'tryOf'> {
  readonly project: ProjectRecord;
  readonly framework: Framework;
  readonly imported?: ImportedBeginning | undefined;
  /** The name of the CI job. */
  readonly job?: string | undefined;
}

/** Failures never cancel an imported run, because its tests have already ended. */
export interface ImportedBeginning extends Pick<Run, 'pullRequest'> {
  readonly imported: true;
}

export function makeNewRun(
  { now, defaultRetention }: Pick<Services, 'now' | 'defaultRetention'>,
  { project, imported, job, ...build }: Beginning,
  body: CreateRunBody,
): NewRun {
  if (project.deletesAt !== undefined) throw projectIsDeleted(project.deletesAt);
  const createdAt = now();
  const failureLimit = project.failFast ? 1 : body.config?.currents?.autoCancelAfterFailures;
  const cancelAfterFailures = imported ? undefined : failureLimit;
  const { tags, groupTags, environments } = collectTags(body);
  // The environment variables of a CI job do not always contain the number of the attempt.
  const { githubRunId, githubRunAttempt = '1' } = body.ci?.params ?? {};
  return {
    ...build,
    jobs: job === undefined ? undefined : [job],
    createdAt,
    expiry: computeExpiry(resolveRetention(project.retention, defaultRetention), createdAt),
    github: githubRunId === undefined ? undefined : { runId: githubRunId, attempt: githubRunAttempt },
    projectId: body.projectId,
    tags: fitIntoRun('tags', tags),
    groupTags: fitIntoRun('groupTags', groupTags),
    environments: fitIntoRun('environments', environments),
    commit: body.commit,
    pullRequest: findPullRequest(body),
    ...imported,
    inactivityTimeoutSeconds: project.inactivityTimeoutSeconds,
    cancelAfterFailures: cancelAfterFailures || undefined,
  };
}
