/**
 * Computes and stores the aggregates ("facts") of an ended run, and lists them in the pending row of the run.
 * Idempotent, even for concurrent calls, because facts depend only on the rows of the run.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { computeDigest } from '#shared/engine/table/keys.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { check, PRESENT, put, remove, update } from '#shared/engine/table/writes.ts';
import { type FactsPart, factsParts, splitFacts } from '#shared/model/analytics/facts.ts';
import { getPendingRowsOfRunSpan, type PendingRun, pendingRuns } from '#shared/model/analytics/pending.ts';
import { type Instance, isTouched } from '#shared/model/results/instance.ts';
import type { Group } from '#shared/model/runs/group.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { listRunWords, runWords } from '#shared/model/runs/run-word.ts';
import type { CoreServices } from '#shared/services.ts';
import { assignNumbers } from './assign-numbers.ts';
import { type PendingEntry, packEntries } from './entry.ts';
import { computeGroupFacts, type GroupFacts, mergeInheritedTags, type TestedInstance } from './group-facts.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { recordTerms } from './record-terms.ts';
import { readInstanceTests, readWholeRun, type WholeRun } from './whole-run.ts';

/** In milliseconds. `null`: no report of the import says it. `undefined`: the run was recorded, so its end tells. */
function readImportedTime({ imported, ran }: Run): number | null | undefined {
  if (!imported || ran === undefined) return undefined;
  return ran === 0 ? null : ran;
}

const DIGEST_CHARACTERS = 16;

export interface CompiledRun {
  /** The run, if the caller must schedule the work that follows its end. Absent after a correction, for example. */
  readonly ended?: Run | undefined;
  /** The instances (spec files) whose stored results are damaged. */
  readonly unreadable: readonly Instance[];
}

const NOTHING: CompiledRun = { unreadable: [] };

/** Computes nothing if the facts for the newest pending change of the run are already stored. */
export async function compileRun(
  services: CoreServices,
  runKey: Pick<PendingRun, 'organizationId' | 'projectId' | 'runId' | 'createdAt'>,
): Promise<CompiledRun> {
  const rows = await services.table.queryAll(pendingRuns, getPendingRowsOfRunSpan(runKey), { consistent: true });
  const newestChange = rows.at(-1);
  if (!newestChange || newestChange.gone) return NOTHING;
  // The row that was written when the run ended exists until a merge deletes it. Corrections only add rows.
  const hasEnd = rows.some(({ corrects }) => !corrects);
  if (newestChange.packed) {
    // An earlier call has stored the facts (`packed`). It may have been interrupted before its caller scheduled the
    // work that follows the end of a run, so the ended run is returned again.
    const run = hasEnd ? await services.table.get(runs, newestChange, { consistent: true }) : undefined;
    return { ...NOTHING, ended: run };
  }
  const isFirst = hasEnd && !rows.some(({ packed }) => packed);
  const wholeRun = await readWholeRun(services, runKey);
  if (!wholeRun) {
    // The run expired or was deleted, so its facts cannot be computed, and its stored totals stay as they are.
    await services.table.writeMany([remove(pendingRuns, newestChange)]);
    return NOTHING;
  }
  const { entries, parts, tested, unreadable } = await compileFacts(services, wholeRun);
  await recordTerms(services, { ...wholeRun, tests: tested.flatMap(({ tests }) => tests) });
  await storeFacts(services, wholeRun.run, { newest: newestChange, entries, parts });
  return { unreadable, ended: isFirst ? wholeRun.run : undefined };
}

interface CompiledFacts {
  readonly entries: readonly PendingEntry[];
  readonly parts: readonly FactsPart[];
}

/** Stores nothing but the names of tests and spec files that are new to the project. */
export async function compileFacts(
  services: WithTable,
  { run, groups, instances }: WholeRun,
): Promise<CompiledFacts & { readonly tested: readonly TestedInstance[]; readonly unreadable: readonly Instance[] }> {
  const read = await mapConcurrently(
    instances.filter(isTouched),
    async (instance) => ({ instance, tests: await readInstanceTests(services, instance) }),
    ANALYTICS_LIMITS.instancesAtOnce,
  );
  const testedInstances = read.flatMap(({ instance, tests }) => (tests ? [{ instance, tests }] : []));
  const unreadable = read.flatMap(({ instance, tests }) => (tests ? [] : [instance]));
  const numbers = await assignNumbers(services, { run, groups, tested: testedInstances });
  const all = groups.map((group) => {
    const isOwn = ({ groupId }: Instance) => groupId === group.groupId;
    const ownInstances = testedInstances.filter(({ instance }) => isOwn(instance));
    const groupOfRun = { run, group, incomplete: unreadable.filter(isOwn).length };
    return buildFactsRows(groupOfRun, computeGroupFacts(run, group, ownInstances, numbers));
  });
  return {
    entries: all.map(({ entry }) => entry),
    parts: all.flatMap(({ parts }) => parts),
    tested: testedInstances,
    unreadable,
  };
}

interface GroupOfRun {
  readonly run: Run;
  readonly group: Group;
  readonly incomplete: number;
}

export function buildFactsRows(
  { run, group, incomplete }: GroupOfRun,
  { tests, rest, counters }: GroupFacts,
): { readonly entry: PendingEntry; readonly parts: readonly FactsPart[] } {
  const { organizationId, runId, createdAt, commit, completionState, status, expiry } = run;
  const { groupId, environment } = group;
  const factsDigest = computeDigest(DIGEST_CHARACTERS, JSON.stringify([tests, rest]));
  const factsKey = { organizationId, runId, groupId, factsDigest, expiresAt: expiry.results };
  const testParts = splitFacts({ ...factsKey, kind: 'tests' }, tests);
  const restParts = splitFacts({ ...factsKey, kind: 'rest' }, rest);
  const { branch, authorName, authorEmail, sha } = commit;
  const entry: PendingEntry = {
    runId,
    groupId,
    createdAt,
    endedAt: run.endedAt ?? createdAt,
    branch,
    authorName,
    authorEmail,
    sha,
    environment,
    tags: mergeInheritedTags(run, group),
    completionState,
    status,
    counters,
    ran: readImportedTime(run),
    digest: factsDigest,
    sizes: { tests: measureParts(testParts), rest: measureParts(restParts) },
    endsAt: expiry.results,
    incomplete: incomplete || undefined,
  };
  return { entry, parts: [...testParts, ...restParts] };
}

const measureParts = (parts: readonly FactsPart[]) => ({
  parts: parts.length,
  bytes: parts.reduce((total, { bytes }) => total + bytes.byteLength, 0),
});

/** Also stores the words by which search finds the run. If the run was deleted meanwhile, removes all rows again. */
async function storeFacts(
  { table }: CoreServices,
  run: Run,
  { newest, entries, parts }: CompiledFacts & { readonly newest: PendingRun },
): Promise<void> {
  const words = listRunWords(run).map((word) => ({ ...run, word, expiresAt: run.expiry.results }));
  await table.writeMany([...parts.map((part) => put(factsParts, part)), ...words.map((word) => put(runWords, word))]);
  const isStored = await table.transact([
    check(runs, run, PRESENT),
    update(pendingRuns, newest, { set: [['packed', packEntries(entries)]] }, PRESENT),
  ]);
  if (isStored || (await table.get(runs, run, { consistent: true }))) return;
  await table.writeMany([
    ...parts.map((part) => remove(factsParts, part)),
    ...words.map((word) => remove(runWords, word)),
  ]);
}
