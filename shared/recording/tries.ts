/**
 * Finds out which try of its build a client belongs to. A later try of a build is a run of its own with a build id of its
 * own, and both are linked. Clients say so by data of their CI system, or by a number that people set. Without either,
 * nothing is a try: a client of the same build then joins the run of the build.
 */
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { ABSENT, PRESENT, put, update, type Write } from '#shared/engine/table/writes.ts';
import type { NewRun } from '#shared/lifecycle/create-run.ts';
import { deriveRunId } from '#shared/model/ids.ts';
import type { ProjectKey, RunKey } from '#shared/model/keys.ts';
import { buildTries, formatTryBuildId, getTriesSpan, isLaterTry, jobTries } from '#shared/model/runs/build-tries.ts';
import { runs, type TryOfBuild } from '#shared/model/runs/run.ts';
import { findCommitKey, runsOfCommit } from '#shared/model/runs/run-of-commit.ts';
import type { Services, WithClock } from '#shared/services.ts';
import { type Beginning, makeNewRun } from './beginning.ts';
import { RECORDING_LIMITS } from './limits.ts';
import type { RunRequest } from './run-request.ts';

/** What a client says about its build. */
interface SentBuild extends Pick<RunRequest, 'organizationId' | 'projectId' | 'job' | 'again'> {
  readonly ciBuildId: string;
}

export interface FoundTry {
  /** The build id of the run. It differs from the one that the client sent if the client repeats that build. */
  readonly ciBuildId: string;
  /** Absent if the client names no try. */
  readonly tryOf: TryOfBuild | undefined;
  /** The build id of the first try. */
  readonly first: string;
}

export async function findTry(services: WithClock, sentBuild: SentBuild): Promise<FoundTry> {
  const { ciBuildId, job, again = 1 } = sentBuild;
  const { build, isOwnId, first } = identifyBuild(sentBuild);
  const mustNumber = job?.attempt === undefined && job?.id !== undefined;
  const jobTry = mustNumber ? await assignTryNumber(services, { ...sentBuild, build }, job.id) : undefined;
  const attempt = Math.max(1, job?.attempt ?? jobTry?.attempt ?? 1);
  if (job?.attempt === undefined && !jobTry && sentBuild.again === undefined)
    return { ciBuildId, tryOf: undefined, first };
  const suffixes: string[] = [];
  if (attempt > 1 && !isOwnId) suffixes.push(`attempt ${attempt}`);
  if (again > 1) suffixes.push(`try ${again}`);
  return {
    ciBuildId: formatTryBuildId(ciBuildId, suffixes),
    tryOf: { build, attempt, again },
    first: jobTry?.first ?? first,
  };
}

/** Build ids of CI systems end with the attempt, or are new for each try. Those that people chose stay the same. */
function identifyBuild({ ciBuildId, job }: SentBuild) {
  const { build, attempt, id } = job ?? {};
  if (build !== undefined && attempt !== undefined && ciBuildId.endsWith(`${build}-${attempt}`)) {
    const commonId = ciBuildId.slice(0, -`-${attempt}`.length);
    return { build: commonId, isOwnId: true, first: `${commonId}-1` };
  }
  if (build !== undefined && id === ciBuildId) return { build, isOwnId: true, first: ciBuildId };
  return { build: ciBuildId, isOwnId: false, first: ciBuildId };
}

/** Numbers the tries of a job by the order in which they first report. */
async function assignTryNumber(
  { table, now }: WithClock,
  { organizationId, projectId, build, ciBuildId, job }: SentBuild & Pick<TryOfBuild, 'build'>,
  id: string,
): Promise<{ readonly attempt: number; readonly first: string }> {
  const key = { organizationId, projectId, build, job: job?.name ?? '' };
  const expiresAt = Math.ceil(now() / 1000) + RECORDING_LIMITS.triesOfJobSeconds;
  return retryOptimistically('tries of a job', async () => {
    const row = await table.get(jobTries, key, { consistent: true });
    const tries = row?.tries ?? [];
    const first = tries[0]?.ciBuildId ?? ciBuildId;
    const position = tries.findIndex((storedTry) => storedTry.id === id);
    if (position >= 0) return { attempt: position + 1, first };
    const newTry = { attempt: tries.length + 1, first };
    // A job that is repeated more often than this has long been understood to fail.
    if (newTry.attempt > RECORDING_LIMITS.triesOfJob) return newTry;
    const set = Object.entries({ ...key, tries: [...tries, { id, ciBuildId }], expiresAt });
    const { done } = await table.update(jobTries, key, { set }, row ? { path: 'tries', equals: tries } : ABSENT);
    return done ? newTry : AGAIN;
  });
}

/** The row of a new run. Links a later try with its build, before and after the run is created. */
export async function prepareRunOfTry(
  services: Services,
  { buildTry, ...build }: Beginning & { readonly buildTry: FoundTry | undefined },
  request: RunRequest,
): Promise<NewRun> {
  const foundTry = buildTry?.tryOf;
  const tryOf = foundTry && (await isOneOfSeveral(services, request, foundTry)) ? foundTry : undefined;
  const beginning = makeNewRun(services, { ...build, tryOf }, request);
  await linkTry(services, beginning, buildTry);
  return beginning;
}

/** Whether the build has several tries. The first try may report after later ones have begun. */
const isOneOfSeveral = async (services: Services, project: ProjectKey, tryOf: TryOfBuild): Promise<boolean> =>
  isLaterTry(tryOf) || (await hasTries(services, project, tryOf));

/**
 * Links a try with its build, and a later try with the first one, which did not know that others would follow. Both tries
 * may begin at the same time, so this is done before and after the run is created.
 */
export async function linkTry(
  { table }: Services,
  { organizationId, projectId, runId, expiry, tryOf }: NewRun,
  foundTry: FoundTry | undefined,
): Promise<void> {
  if (!foundTry || !tryOf) return;
  const project = { organizationId, projectId };
  await table.put(buildTries, { ...project, ...tryOf, runId, expiresAt: expiry.results });
  const first = { organizationId, runId: deriveRunId({ ...project, ciBuildId: foundTry.first }) };
  if (isLaterTry(tryOf) && first.runId !== runId) await markFirst({ table }, first, tryOf.build);
}

async function markFirst({ table }: WithTable, key: RunKey, build: string): Promise<void> {
  const tryOf: TryOfBuild = { build, attempt: 1, again: 1 };
  await retryOptimistically('first try of a build', async () => {
    const run = await table.get(runs, key, { consistent: true });
    if (!run || run.tryOf) return true;
    const { organizationId, projectId, runId, expiry } = run;
    const commitKey = findCommitKey(run);
    const runOfCommit = commitKey && (await table.get(runsOfCommit, commitKey, { consistent: true }));
    const set = [['tryOf', tryOf]] as const;
    const writes: Write[] = [
      update(runs, run, { set }, { all: [PRESENT, { absent: 'tryOf' }] }),
      put(buildTries, { organizationId, projectId, ...tryOf, runId, expiresAt: expiry.results }),
    ];
    if (runOfCommit) writes.push(update(runsOfCommit, runOfCommit, { set }, PRESENT));
    return (await table.transact(writes)) || AGAIN;
  });
}

/** Whether later tries of the build have begun, which a first try that reports late has to know. */
async function hasTries({ table }: WithTable, project: ProjectKey, { build }: TryOfBuild): Promise<boolean> {
  const { rows } = await table.query(buildTries, getTriesSpan({ ...project, build }), { consistent: true, limit: 1 });
  return rows.length > 0;
}
