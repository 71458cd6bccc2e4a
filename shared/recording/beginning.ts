/** Builds the row of a new run from the request that starts it. */
import type { NewRun } from '#shared/lifecycle/create-run.ts';
import { projectIsDeleted } from '#shared/lifecycle/errors.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { computeExpiry } from '#shared/model/runs/expiry.ts';
import { resolveRetention } from '#shared/model/runs/retention.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { collectTags, fitIntoRun } from './merge-run.ts';
import type { RunRequest } from './run-request.ts';

const NUMBERED = /\/(?:pull|pulls|issues|merge_requests)\/(\d{1,12})(?:$|[/?#])/;

/** Finds the pull request in the links of a CI event. */
function findLinkedPullRequest({ ghaEventData }: Run['commit']): Run['pullRequest'] {
  const link = [ghaEventData?.htmlUrl, ghaEventData?.issueUrl].find((url) => url && NUMBERED.test(url));
  const number = NUMBERED.exec(link ?? '')?.[1];
  return number === undefined ? undefined : { id: number, title: ghaEventData?.prTitle ?? null };
}

export interface Beginning extends Pick<Run, 'runId' | 'ciBuildId' | 'createdBy' | 'tryOf'> {
  readonly project: ProjectRecord;
}

export function makeNewRun(
  { now, defaultRetention }: Pick<Services, 'now' | 'defaultRetention'>,
  { project, ...build }: Beginning,
  request: RunRequest,
): NewRun {
  if (project.deletesAt !== undefined) throw projectIsDeleted(project.deletesAt);
  const createdAt = now();
  const { organizationId, projectId, commit, framework, github, imported, job, origin } = request;
  const failureLimit = project.failFast ? 1 : request.cancelAfterFailures;
  const { tags, groupTags, environments } = collectTags(request);
  return {
    ...build,
    organizationId,
    projectId,
    framework,
    commit,
    github,
    imported,
    origin,
    held: request.holds,
    // Each machine that holds the run usually sends a suite of its own.
    hasFurtherSuites: request.holds,
    jobs: job?.name === undefined ? undefined : [job.name],
    ciPages: job?.url === undefined ? undefined : [job.url],
    createdAt,
    expiry: computeExpiry(resolveRetention(project.retention, defaultRetention), createdAt),
    tags: fitIntoRun('tags', tags),
    groupTags: fitIntoRun('groupTags', groupTags),
    environments: fitIntoRun('environments', environments),
    pullRequest: findLinkedPullRequest(commit) ?? request.pullRequest,
    inactivityTimeoutSeconds: project.inactivityTimeoutSeconds,
    // Failures never cancel an imported run, because its tests have already ended.
    cancelAfterFailures: imported ? undefined : failureLimit,
  };
}
