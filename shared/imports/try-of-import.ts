/** Finds out which try of its build an import belongs to, when its request arrives. */
import { invalidRequest } from '#shared/engine/errors.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import type { CiJob } from '#shared/model/runs/ci-job.ts';
import type { ImportOptions, ImportOptionsOfTry } from '#shared/model/runs/import.ts';
import { findTry } from '#shared/recording/tries.ts';
import type { WithClock } from '#shared/services.ts';

/** Replaces the build id of a later try by that of the try, so that the import joins the run of the try. */
export async function resolveTry<Sent extends ProjectKey & { readonly options: ImportOptions }>(
  services: WithClock,
  request: Sent,
): Promise<Sent & { readonly options: ImportOptionsOfTry }> {
  const { organizationId, projectId, options } = request;
  const { ciBuildId, try: again } = options;
  if (ciBuildId === undefined && again !== undefined)
    throw invalidRequest('`try` repeats a build, so it needs `ciBuildId`, the id of the build', ['try']);
  if (ciBuildId === undefined) return request;
  const resolvedTry = await findTry(services, { organizationId, projectId, ciBuildId, job: readJob(options), again });
  if (!resolvedTry.tryOf) return request;
  return {
    ...request,
    options: { ...options, ciBuildId: resolvedTry.ciBuildId, tryOf: resolvedTry.tryOf, firstTry: resolvedTry.first },
  };
}

/** Requests of earlier clients name only the run and the attempt of GitHub Actions. */
function readJob({
  job,
  jobAttempt,
  jobId,
  jobBuild,
  githubRunId,
  githubRunAttempt,
}: ImportOptions): CiJob | undefined {
  const attempt = jobAttempt ?? (githubRunAttempt === undefined ? undefined : Number(githubRunAttempt));
  const build = jobBuild ?? githubRunId;
  if (job === undefined && attempt === undefined && jobId === undefined) return undefined;
  return { name: job, attempt, id: jobId, build };
}
