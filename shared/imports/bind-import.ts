/** §5.1 What the identity token of a CI job proves replaces what the request and the report say. */
import type { ImportOptions } from '#shared/model/runs/import.ts';
import type { CiBuild } from '#shared/model/runs/origin.ts';

export function bindImport<Options extends ImportOptions>(options: Options, build: CiBuild | undefined): Options {
  if (!build) return options;
  const { ciBuildId, job, branch, sha, pullRequest, remoteOrigin, origin } = build;
  return {
    ...options,
    ciBuildId,
    branch: branch ?? options.branch,
    sha: sha ?? options.sha,
    pullRequest: pullRequest ?? options.pullRequest,
    repository: remoteOrigin,
    jobAttempt: job.attempt,
    jobId: job.id,
    jobBuild: job.build,
    githubRunId: job.attempt === undefined ? options.githubRunId : job.build,
    githubRunAttempt: job.attempt === undefined ? options.githubRunAttempt : String(job.attempt),
    origin,
  };
}
