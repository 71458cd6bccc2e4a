/** §3, §4.4.3 Cancels runs. Tests in progress may still finish and count. A cancelled run is never resumed. */

import type * as z from 'zod';
import { notFound } from '#shared/engine/errors.ts';
import { deriveRunId } from '#shared/model/ids.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { isBuildId } from '#shared/model/runs/build-tries.ts';
import { type CompletionState, type Run, runs } from '#shared/model/runs/run.ts';
import { getGithubBuildSpan, runsOfGithubBuild } from '#shared/model/runs/run-of-build.ts';
import { presentCancellation } from '#shared/results/runs/run-feed.ts';
import type { Cancellation } from '#shared/results/runs/run-wire.ts';
import type { Services } from '#shared/services.ts';
import type {
  CancelGithubRunBody,
  CancelledGithubRun,
  CancelledRun,
  CancelOwnRunAnswer,
  CancelOwnRunBody,
} from './cancel-wire.ts';
import { endRun } from './end-run.ts';
import { nothingToCancel, runAlreadyCancelled, runHasEnded } from './errors.ts';
import { findRun } from './find-run.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';

interface CancelRequest {
  readonly organizationId: string;
  readonly runId: string;
  readonly actor: string;
}

/** Throws 404 if the run does not exist, and 422 if it has ended. */
export async function cancelRun(
  services: Services,
  { actor, ...key }: CancelRequest,
): Promise<z.infer<typeof CancelledRun>> {
  const cancelledRun = await endAsCancelled(services, key, actor);
  if (cancelledRun) return { runId: cancelledRun.runId, ...requireCancellation(cancelledRun) };
  const { completionState } = await findRun(services, key);
  throw completionState === 'CANCELED' ? runAlreadyCancelled() : runHasEnded();
}

const endAsCancelled = (services: Services, key: RunKey, actor: string) =>
  endRun(services, key, {
    ending: 'cancel',
    cancellation: { actor, reason: 'apiRequest', canceledAt: services.now() },
  });

function requireCancellation(run: Run): z.infer<typeof Cancellation> {
  const cancellation = presentCancellation(run);
  if (!cancellation) throw new Error(`Run ${run.runId} was just cancelled, but its row contains no cancellation`);
  return cancellation;
}

/** Throws 404 if the attempt of the GitHub Actions run has no runs, and 422 if all of its runs have ended. */
export async function cancelGithubRun(
  services: Services,
  { organizationId, actor, body }: Omit<CancelRequest, 'runId'> & { body: z.output<typeof CancelGithubRunBody> },
): Promise<z.infer<typeof CancelledGithubRun>> {
  const { githubRunId, githubRunAttempt, projectId, ciBuildId } = body;
  const span = getGithubBuildSpan({ organizationId, github: { runId: githubRunId, attempt: githubRunAttempt } });
  const all = await services.table.queryAll(runsOfGithubBuild, span, { consistent: true });
  const matchingRuns = all.filter(
    (run) =>
      (projectId === undefined || run.projectId === projectId) &&
      (ciBuildId === undefined || isBuildId(run.ciBuildId, ciBuildId)),
  );
  if (matchingRuns.length === 0) throw notFound('Run');
  const cancelledRuns: Run[] = [];
  const endedRuns: Run[] = [];
  for (const { runId } of matchingRuns) {
    const key = { organizationId, runId };
    const cancelledRun = await endAsCancelled(services, key, actor);
    const endedRun = cancelledRun ? undefined : await services.table.get(runs, key, { consistent: true });
    if (cancelledRun) cancelledRuns.push(cancelledRun);
    if (endedRun) endedRuns.push(endedRun);
  }
  const [first] = cancelledRuns;
  if (!first) throw pickRefusal(endedRuns);
  return {
    ...requireCancellation(first),
    githubRunId,
    githubRunAttempt,
    runIds: cancelledRuns.map(({ runId }) => runId),
    endedBefore: endedRuns.map(({ runId, completionState }) => ({ runId, completionState })),
  };
}

function pickRefusal(endedRuns: readonly Run[]): Error {
  if (endedRuns.length === 0) return notFound('Run');
  if (endedRuns.every(({ completionState }) => completionState === 'CANCELED')) return runAlreadyCancelled();
  const descriptions = endedRuns
    .slice(0, LIFECYCLE_LIMITS.runsPerRefusal)
    .map((run) => `run ${run.runId} ${ENDING_TEXTS[run.completionState]}`);
  const more = endedRuns.length - descriptions.length;
  return nothingToCancel(more > 0 ? [...descriptions, `and ${more} more`] : descriptions);
}

const ENDING_TEXTS = {
  CANCELED: 'was cancelled before',
  COMPLETE: 'has finished',
  TIMEOUT: 'has timed out',
  IN_PROGRESS: 'is in progress',
} as const satisfies Record<CompletionState, string>;

/** The CI job sends this when it ends. A missing or ended run is no error, because nothing is left to cancel. */
export async function cancelOwnRun(
  services: Services,
  { organizationId, actor, body }: Omit<CancelRequest, 'runId'> & { body: z.output<typeof CancelOwnRunBody> },
): Promise<z.infer<typeof CancelOwnRunAnswer>> {
  const { projectId, ciBuildId } = body;
  const runId = body.runId || deriveRunId({ organizationId, projectId, ciBuildId: ciBuildId ?? '' });
  const storedRun = await services.table.get(runs, { organizationId, runId }, { consistent: true });
  if (!storedRun || storedRun.projectId !== projectId) return { runId: null, cancellation: null };
  const cancelledRun = await endAsCancelled(services, storedRun, actor);
  const latestRun = cancelledRun ?? (await services.table.get(runs, storedRun, { consistent: true }));
  return { runId, cancellation: latestRun ? presentCancellation(latestRun) : null };
}
