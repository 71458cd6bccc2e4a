/**
 * §3, §4.4.3 Cancels a run. Tests in progress may still finish, and their results count. A cancelled run is never
 * resumed.
 */

import type * as z from 'zod';
import { notFound } from '#shared/engine/errors.ts';
import { deriveRunId } from '#shared/model/ids.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { isBuildId } from '#shared/model/runs/build-tries.ts';
import { type CompletionState, type Run, runs } from '#shared/model/runs/run.ts';
import { getGithubBuildSpan, runsOfGithubBuild } from '#shared/model/runs/run-of-build.ts';
import { presentCancellation } from '#shared/results/run-feed.ts';
import type { Cancellation } from '#shared/results/run-wire.ts';
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

/** Cancels a run. Throws 404 if it does not exist, and 422 if it has ended. */
export async function cancelRun(
  services: Services,
  { actor, ...key }: CancelRequest,
): Promise<z.infer<typeof CancelledRun>> {
  const cancelled = await end(services, key, actor);
  if (cancelled) return { runId: cancelled.runId, ...cancellationOf(cancelled) };
  const { completionState } = await findRun(services, key);
  throw completionState === 'CANCELED' ? runAlreadyCancelled() : runHasEnded();
}

/** Ends the run as cancelled. Returns `undefined` if this call did not end it. */
const end = (services: Services, key: RunKey, actor: string) =>
  endRun(services, key, {
    ending: 'cancel',
    cancellation: { actor, reason: 'apiRequest', canceledAt: services.now() },
  });

function cancellationOf(run: Run): z.infer<typeof Cancellation> {
  const cancellation = presentCancellation(run);
  if (!cancellation) throw new Error(`Run ${run.runId} was just cancelled, but its row contains no cancellation`);
  return cancellation;
}

/**
 * Cancels all runs in progress that belong to an attempt of a GitHub Actions run. Throws 404 if the attempt has no
 * runs, and 422 if all of its runs have ended.
 */
export async function cancelGithubRun(
  services: Services,
  { organizationId, actor, body }: Omit<CancelRequest, 'runId'> & { body: z.output<typeof CancelGithubRunBody> },
): Promise<z.infer<typeof CancelledGithubRun>> {
  const { githubRunId, githubRunAttempt, projectId, ciBuildId } = body;
  const span = getGithubBuildSpan({ organizationId, github: { runId: githubRunId, attempt: githubRunAttempt } });
  const all = await services.table.queryAll(runsOfGithubBuild, span, { consistent: true });
  const wanted = all.filter(
    (run) =>
      (projectId === undefined || run.projectId === projectId) &&
      (ciBuildId === undefined || isBuildId(run.ciBuildId, ciBuildId)),
  );
  if (wanted.length === 0) throw notFound('Run');
  const cancelled: Run[] = [];
  const before: Run[] = [];
  for (const { runId } of wanted) {
    const key = { organizationId, runId };
    const run = await end(services, key, actor);
    const ended = run ? undefined : await services.table.get(runs, key, { consistent: true });
    if (run) cancelled.push(run);
    if (ended) before.push(ended);
  }
  const [first] = cancelled;
  if (!first) throw nothingLeft(before);
  return {
    ...cancellationOf(first),
    githubRunId,
    githubRunAttempt,
    runIds: cancelled.map(({ runId }) => runId),
    endedBefore: before.map(({ runId, completionState }) => ({ runId, completionState })),
  };
}

function nothingLeft(before: readonly Run[]): Error {
  if (before.length === 0) return notFound('Run');
  if (before.every(({ completionState }) => completionState === 'CANCELED')) return runAlreadyCancelled();
  const shown = before
    .slice(0, LIFECYCLE_LIMITS.runsPerRefusal)
    .map((run) => `run ${run.runId} ${ENDS[run.completionState]}`);
  const more = before.length - shown.length;
  return nothingToCancel(more > 0 ? [...shown, `and ${more} more`] : shown);
}

const ENDS = {
  CANCELED: 'was cancelled before',
  COMPLETE: 'has finished',
  TIMEOUT: 'has timed out',
  IN_PROGRESS: 'is in progress',
} as const satisfies Record<CompletionState, string>;

/**
 * Cancels the run that the request names. The CI job sends this request when it ends. A missing or ended run is not an
 * error, because nothing is left to cancel.
 */
export async function cancelOwnRun(
  services: Services,
  { organizationId, actor, body }: Omit<CancelRequest, 'runId'> & { body: z.output<typeof CancelOwnRunBody> },
): Promise<z.infer<typeof CancelOwnRunAnswer>> {
  const { projectId, ciBuildId } = body;
  const runId = body.runId || deriveRunId({ organizationId, projectId, ciBuildId: ciBuildId ?? '' });
  const found = await services.table.get(runs, { organizationId, runId }, { consistent: true });
  if (!found || found.projectId !== projectId) return { runId: null, cancellation: null };
  const run = await end(services, found, actor);
  const now = run ?? (await services.table.get(runs, found, { consistent: true }));
  return { runId, cancellation: now ? presentCancellation(now) : null };
}
