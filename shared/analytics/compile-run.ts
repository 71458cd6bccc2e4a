/**
 * Computes and stores the aggregates ("facts") of an ended run, and lists them in the pending row of the run.
 * Idempotent, even for concurrent calls, because facts depend only on the rows of the run.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { computeDigest } from '#shared/engine/table/keys.ts';
import { UnreadableBytes } from '#shared/engine/table/packed.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { check, PRESENT, put, remove, update } from '#shared/engine/table/writes.ts';
import { loadResults } from '#shared/ingest/instance-results.ts';
import { collectInstanceTests } from '#shared/ingest/store-details.ts';
import { type FactsPart, factsParts, splitFacts } from '#shared/model/analytics/facts.ts';
import { getPendingRowsOfRunSpan, type PendingRun, pendingRuns } from '#shared/model/analytics/pending.ts';
import {
  computeBusyTime,
  countRetries,
  findDisplayedError,
  isMeasured,
  sumDurations,
} from '#shared/model/results/attempt.ts';
import { countKnownTests, hasFailed, type Instance, isComplete, isTouched } from '#shared/model/results/instance.ts';
import {
  detailsParts,
  getDetailsSpan,
  joinDetails,
  type RecordedTest,
} from '#shared/model/results/instance-details.ts';
import { type Counters, countTests, shouldStoreEvidence } from '#shared/model/results/outcomes.ts';
import type { Group } from '#shared/model/runs/group.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { getRunRowsSpan, runRows, splitRunRows } from '#shared/model/runs/run-rows.ts';
import { listRunWords, runWords } from '#shared/model/runs/run-word.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import type { CoreServices } from '#shared/services.ts';
import { makeErrorCollector, type PendingEntry, packEntries, type RestOfFacts } from './entry.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { ensureNames } from './names.ts';
import { recordTerms } from './record-terms.ts';
import { findMissingSeries, makeSeriesLookup, makeSeriesName, type SeriesName } from './series.ts';
import { toStoredError } from './stored-error.ts';
import type { StoredSums } from './sums.ts';
import { addExecution, addSpec, makeSpecSums, makeTestSums } from './totals.ts';

/**
 * §3 The tests of an instance that have a final result, even if other tests were still running when the run ended. All
 * other tests are left out of all metrics. Returns `undefined` if the stored results are damaged. The run then counts
 * without this instance.
 */
export async function readInstanceTests(
  services: WithTable,
  instance: Instance,
): Promise<readonly RecordedTest[] | undefined> {
  try {
    const details = isComplete(instance)
      ? joinDetails(await services.table.queryAll(detailsParts, getDetailsSpan(instance), { consistent: true }))
      : undefined;
    const { tests } =
      details ??
      (await collectInstanceTests(services, await loadResults(services, instance, { consistent: true }), []));
    return tests.filter(({ done }) => done);
  } catch (error) {
    if (error instanceof UnreadableBytes) return undefined;
    throw error;
  }
}

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

/** Returns `undefined` unless the run has ended. */
export async function readWholeRun(
  { table }: WithTable,
  runKey: Pick<Run, 'organizationId' | 'runId'>,
): Promise<WholeRun | undefined> {
  const { run, ...members } = splitRunRows(await table.queryAll(runRows, getRunRowsSpan(runKey), { consistent: true }));
  return run?.endedAt === undefined ? undefined : { run, ...members };
}

interface WholeRun {
  readonly run: Run;
  readonly groups: readonly Group[];
  readonly instances: readonly Instance[];
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

// Names of spec files and series that are new to the project get the next free numbers.

export async function assignNumbers(
  services: WithTable,
  { run, groups, tested }: Pick<WholeRun, 'run' | 'groups'> & { readonly tested: readonly TestedInstance[] },
): Promise<Numbers> {
  const { organizationId, projectId } = run;
  const list = { organizationId, projectId };
  const files = [...new Set(tested.map(({ instance }) => instance.spec))];
  const specs = await ensureNames<string>(services, { ...list, kind: 'SPEC' }, (storedNames) => {
    const names = new Set(storedNames.values());
    return files.filter((file) => !names.has(file));
  });
  const specNumbers = new Map([...specs].map(([number, file]) => [file, number]));
  const tagsByGroup = new Map(groups.map((group) => [group.groupId, mergeInheritedTags(run, group)]));
  const usedSeries = tested.flatMap(({ instance, tests }) =>
    tests.map((test) => {
      const tags = pickOwnTags(test, tagsByGroup.get(instance.groupId) ?? []);
      return makeSeriesName(specNumbers.get(instance.spec) ?? 0, { ...test, tags });
    }),
  );
  const series = await ensureNames<SeriesName>(services, { ...list, kind: 'TEST' }, (storedSeries) =>
    findMissingSeries(storedSeries, usedSeries),
  );
  const numberOf = makeSeriesLookup(series);
  return {
    spec: (file) => specNumbers.get(file),
    series: (file, test, tags) => numberOf(makeSeriesName(specNumbers.get(file) ?? 0, { ...test, tags })),
  };
}

// Facts are deterministic: equal instances give equal facts.

export interface TestedInstance {
  readonly instance: Instance;
  readonly tests: readonly RecordedTest[];
}

/** Looks up the numbers that stand for spec files and tests in stored facts. A test beyond the limits has no number. */
export interface Numbers {
  readonly spec: (specFile: string) => number | undefined;
  readonly series: (specFile: string, test: RecordedTest, ownTags: readonly string[]) => number | undefined;
}

interface GroupFacts {
  readonly tests: StoredSums;
  readonly rest: RestOfFacts;
  readonly counters: Counters;
}

const pickOwnTags = (test: RecordedTest, inheritedTags: readonly string[]): string[] =>
  test.tags.filter((tag) => !inheritedTags.includes(tag));

const mergeInheritedTags = (run: Run, group: Group): string[] => mergeTags(run.tags, group.tags);

export function computeGroupFacts(
  run: Run,
  group: Group,
  testedInstances: readonly TestedInstance[],
  numbers: Numbers,
): GroupFacts {
  const inheritedTags = mergeInheritedTags(run, group);
  const tests = makeTestSums();
  const specs = makeSpecSums();
  const { errors, placeOf } = makeErrorCollector();
  const executionsWithError: { readonly error: number; readonly series: number }[] = [];
  const sortedInstances = testedInstances.toSorted((one, other) =>
    one.instance.instanceId < other.instance.instanceId ? -1 : 1,
  );
  for (const { instance, tests: all } of sortedInstances) {
    const spec = numbers.spec(instance.spec);
    if (spec !== undefined) addSpec(specs, spec, computeSpecFacts(run, instance, all));
    for (const test of all.toSorted((one, other) => (one.testId < other.testId ? -1 : 1))) {
      const series = numbers.series(instance.spec, test, pickOwnTags(test, inheritedTags));
      if (series === undefined) continue;
      const { outcome, flaky, attempts } = test;
      const milliseconds = Math.round(sumDurations(attempts));
      // The durations of interrupted tests and implausible durations are not counted.
      const isTimed = attempts.at(-1)?.rawStatus !== 'interrupted' && isMeasured(attempts);
      addExecution(tests, series, { outcome, flaky, milliseconds, isTimed }, run.createdAt);
      const error = shouldStoreEvidence(test) ? findDisplayedError(attempts) : undefined;
      if (error) executionsWithError.push({ error: placeOf(toStoredError(error)), series });
    }
  }
  const countedTests = testedInstances.flatMap((one) =>
    one.tests.map((test) => ({ ...test, retries: countRetries(test.attempts) })),
  );
  const events = {
    errors,
    error: executionsWithError.map(({ error }) => error),
    series: executionsWithError.map(({ series }) => series),
  };
  const rest = { specs: specs.stored(), events };
  return { tests: tests.stored(), rest, counters: countTests(countedTests) };
}

function computeSpecFacts(run: Run, instance: Instance, tests: readonly RecordedTest[]) {
  const isReported = isComplete(instance);
  const hasFailure = tests.some(({ outcome }) => outcome === 'failed' || outcome === 'skipped') || hasFailed(instance);
  const milliseconds = isReported ? computeBusyTime(tests.flatMap(({ attempts }) => attempts)) : undefined;
  const isTimed = milliseconds !== undefined ? 1 : 0;
  const isBrokenOff = run.completionState === 'TIMEOUT' || run.completionState === 'CANCELED';
  return {
    executions: 1,
    failed: hasFailure ? 1 : 0,
    flaky: tests.some(({ flaky }) => flaky) ? 1 : 0,
    fullyReported: isReported ? 1 : 0,
    timedOut: !isReported && isBrokenOff ? 1 : 0,
    milliseconds: milliseconds ?? 0,
    timed: isTimed,
    millisecondsWithoutFailed: hasFailure ? 0 : (milliseconds ?? 0),
    timedWithoutFailed: hasFailure ? 0 : isTimed,
    suiteSize: isReported ? countKnownTests(instance) : 0,
  };
}
