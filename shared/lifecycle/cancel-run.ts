/** §3, §4.4 Somebody cancels a run. What is in progress may still end and is counted; the run never goes on. */
import * as z from 'zod';
import type { Caller } from '../credentials/caller.ts';
import { notFound, runAlreadyCancelled, runHasEnded } from '../errors.ts';
import { runIdOf } from '../resources/ids.ts';
import { id } from '../resources/names.ts';
import { githubBuildSpan, type Run, runs, runsOfGithubBuild } from '../resources/run.ts';
import { Cancellation, presentCancellation } from '../results/run-feed.ts';
import type { Services } from '../services.ts';
import { endRun } from './end-run.ts';

export const CancelledRun = Cancellation.extend({ runId: z.string() }).meta({ id: 'CancelledRun' });

/** As `cancellation.actor` shows it. */
export const actorOf = (caller: Caller): string =>
  caller.kind === 'apiKey' ? `api:${caller.label}` : `user:${caller.accountId}`;

const REASON = 'apiRequest';

interface CancelRequest {
  readonly organizationId: string;
  readonly runId: string;
  readonly actor: string;
}

/** Throws for a run that has ended: 422, whoever and whatever ended it. */
export async function cancelRun(services: Services, request: CancelRequest): Promise<z.infer<typeof CancelledRun>> {
  const run = await tryToCancel(services, request);
  if (!run) throw notFound('Run');
  return { runId: run.runId, ...cancellationOf(run) };
}

/** The run where this call cancelled it. */
const end = (services: Services, key: Pick<Run, 'organizationId' | 'runId'>, actor: string) =>
  endRun(services, key, {
    ending: 'cancel',
    cancellation: { actor, reason: REASON, canceledAt: services.now() },
  });

/** `undefined` where there is no such run. */
async function tryToCancel(services: Services, { actor, ...key }: CancelRequest): Promise<Run | undefined> {
  const cancelled = await end(services, key, actor);
  if (cancelled) return cancelled;
  const run = await services.table.get(runs, key, { consistent: true });
  if (run?.completionState === 'CANCELED') throw runAlreadyCancelled();
  if (run) throw runHasEnded();
  return undefined;
}

function cancellationOf(run: Run): z.infer<typeof Cancellation> {
  const cancellation = presentCancellation(run);
  if (!cancellation) throw new Error(`The run ${run.runId} that was just cancelled does not say by whom`);
  return cancellation;
}

const githubNumber = z.union([id, z.int().nonnegative()]).transform(String);

export const CancelGithubRunBody = z.object({
  githubRunId: githubNumber.meta({ description: '`GITHUB_RUN_ID` of the workflow run' }),
  githubRunAttempt: githubNumber.meta({ description: '`GITHUB_RUN_ATTEMPT`, as a number or a text' }),
  projectId: id.optional().meta({ description: 'Only runs of this project' }),
  ciBuildId: id.optional().meta({ description: 'Only the run of this CI build id' }),
});

export const CancelledGithubRun = Cancellation.extend({
  githubRunId: z.string(),
  githubRunAttempt: z.string(),
  runIds: z.array(z.string()).meta({ description: 'All runs that were cancelled' }),
}).meta({ id: 'CancelledGithubRun' });

/** A workflow run may have recorded several runs; all of them that go on are cancelled. 422 when none does. */
export async function cancelGithubRun(
  services: Services,
  { organizationId, actor, body }: Omit<CancelRequest, 'runId'> & { body: z.output<typeof CancelGithubRunBody> },
): Promise<z.infer<typeof CancelledGithubRun>> {
  const { githubRunId, githubRunAttempt, projectId, ciBuildId } = body;
  const span = githubBuildSpan({ organizationId, github: { runId: githubRunId, attempt: githubRunAttempt } });
  const all = await services.table.queryAll(runsOfGithubBuild, span, { consistent: true });
  const wanted = all.filter(
    (run) =>
      (projectId === undefined || run.projectId === projectId) &&
      (ciBuildId === undefined || run.ciBuildId === ciBuildId),
  );
  if (wanted.length === 0) throw notFound('Run');
  const cancelled: Run[] = [];
  for (const { runId } of wanted) {
    const run = await end(services, { organizationId, runId }, actor);
    if (run) cancelled.push(run);
  }
  const [first] = cancelled;
  if (!first) throw runAlreadyCancelled();
  return { ...cancellationOf(first), githubRunId, githubRunAttempt, runIds: cancelled.map(({ runId }) => runId) };
}

export const CancelOwnRunBody = z
  .object({ projectId: id, ciBuildId: id.nullish(), runId: id.nullish() })
  .refine(({ ciBuildId, runId }) => ciBuildId || runId, { error: 'must have `ciBuildId` or `runId`' });

export const CancelOwnRunAnswer = z.object({ runId: z.string().nullable(), cancellation: Cancellation.nullable() });

/** From a CI job that ends: a run that is not there, or has ended, is what it wanted. */
export async function cancelOwnRun(
  services: Services,
  { organizationId, actor, body }: Omit<CancelRequest, 'runId'> & { body: z.output<typeof CancelOwnRunBody> },
): Promise<z.infer<typeof CancelOwnRunAnswer>> {
  const { projectId, ciBuildId } = body;
  const runId = body.runId || runIdOf({ organizationId, projectId, ciBuildId: ciBuildId ?? '' });
  const found = await services.table.get(runs, { organizationId, runId }, { consistent: true });
  if (!found || found.projectId !== projectId) return { runId: null, cancellation: null };
  const run = await end(services, found, actor);
  const now = run ?? (await services.table.get(runs, found, { consistent: true }));
  return { runId, cancellation: now ? presentCancellation(now) : null };
}
