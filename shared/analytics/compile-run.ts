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
import { testsFor } from '#shared/ingest/store-details.ts';
import { type FactsPart, factsParts, splitFacts } from '#shared/model/analytics/facts.ts';
import { getPendingRowsOfRunSpan, type PendingRun, pendingRuns } from '#shared/model/analytics/pending.ts';
import type { Group } from '#shared/model/runs/group.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { getRunRowsSpan, runRows, splitRunRows } from '#shared/model/runs/run-rows.ts';
import { listRunWords, runWords } from '#shared/model/runs/run-word.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import {
  computeBusyTime,
  countRetries,
  findDisplayedError,
  isMeasured,
  sumDurations,
} from '#shared/model/tests/attempt.ts';
import { countKnownTests, hasFailed, type Instance, isComplete, isTouched } from '#shared/model/tests/instance.ts';
import { detailsParts, getDetailsSpan, joinDetails, type RecordedTest } from '#shared/model/tests/instance-details.ts';
import { type Counters, countTests, shouldStoreEvidence } from '#shared/model/tests/outcomes.ts';
import type { CoreServices } from '#shared/services.ts';
import { distinctErrors, type PendingEntry, packEntries, type RestOfFacts } from './entry.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { ensureNames } from './names.ts';
import { recordTerms } from './record-terms.ts';
import { missingSeries, type SeriesName, seriesName, seriesNumbers } from './series.ts';
import { storedErrorOf } from './stored-error.ts';
import type { StoredSums } from './sums.ts';
import { addExecution, addSpec, specSums, testSums } from './totals.ts';

/**
 * §3 The tests of an instance that have a final result, even if other tests were still running when the run ended. All
 * other tests are left out of all metrics. Returns `undefined` if the stored results are damaged. The run then counts
 * without this instance.
 */
export async function testsOfInstance(
  services: WithTable,
  instance: Instance,
): Promise<readonly RecordedTest[] | undefined> {
  try {
    const described = isComplete(instance)
      ? joinDetails(await services.table.queryAll(detailsParts, getDetailsSpan(instance), { consistent: true }))
      : undefined;
    const { tests } =
      described ?? (await testsFor(services, await loadResults(services, instance, { consistent: true }), []));
    return tests.filter(({ done }) => done);
  } catch (error) {
    if (error instanceof UnreadableBytes) return undefined;
    throw error;
  }
}

const DIGEST_CHARACTERS = 16;

export interface CompiledRun {
  /**
   * The run, if the caller must schedule the work that follows the end of a run. Otherwise absent, for example if the
   * call processed only a correction.
   */
  readonly ended?: Run | undefined;
  /** The instances (spec files) whose stored results are damaged. */
  readonly unreadable: readonly Instance[];
}

const NOTHING: CompiledRun = { unreadable: [] };

/**
 * Computes and stores the facts for the newest pending change of a run. Computes nothing if the facts for that change
 * are already stored.
 */
export async function compileRun(
  services: CoreServices,
  of: Pick<PendingRun, 'organizationId' | 'projectId' | 'runId' | 'createdAt'>,
): Promise<CompiledRun> {
  const rows = await services.table.queryAll(pendingRuns, getPendingRowsOfRunSpan(of), { consistent: true });
  const newest = rows.at(-1);
  if (!newest || newest.gone) return NOTHING;
  // The row that was written when the run ended exists until a merge deletes it. Corrections only add rows.
  const hasEnd = rows.some(({ corrects }) => !corrects);
  if (newest.packed) {
    // An earlier call has stored the facts. It may have been interrupted before its caller scheduled the work that
    // follows the end of a run, so the ended run is returned again.
    const run = hasEnd ? await services.table.get(runs, newest, { consistent: true }) : undefined;
    return { ...NOTHING, ended: run };
  }
  const isFirst = hasEnd && !rows.some(({ packed }) => packed);
  const whole = await readWholeRun(services, of);
  if (!whole) {
    // The run expired or was deleted, so its facts cannot be computed, and its stored totals stay as they are.
    await services.table.writeMany([remove(pendingRuns, newest)]);
    return NOTHING;
  }
  const { entries, parts, tested, unreadable } = await compileFacts(services, whole);
  await recordTerms(services, { ...whole, tests: tested.flatMap(({ tests }) => tests) });
  await store(services, whole.run, { newest, entries, parts });
  return { unreadable, ended: isFirst ? whole.run : undefined };
}

/** Reads a run with its groups and instances. Returns `undefined` unless the run has ended. */
export async function readWholeRun(
  { table }: WithTable,
  of: Pick<Run, 'organizationId' | 'runId'>,
): Promise<WholeRun | undefined> {
  const { run, ...members } = splitRunRows(await table.queryAll(runRows, getRunRowsSpan(of), { consistent: true }));
  return run?.endedAt === undefined ? undefined : { run, ...members };
}

interface WholeRun {
  readonly run: Run;
  readonly groups: readonly Group[];
  readonly instances: readonly Instance[];
}

interface Compiled {
  readonly entries: readonly PendingEntry[];
  readonly parts: readonly FactsPart[];
}

/**
 * Computes the facts of a run without storing them. Stores only the names of tests and spec files that are new to the
 * project.
 */
export async function compileFacts(
  services: WithTable,
  { run, groups, instances }: WholeRun,
): Promise<Compiled & { readonly tested: readonly TestedInstance[]; readonly unreadable: readonly Instance[] }> {
  const read = await mapConcurrently(
    instances.filter(isTouched),
    async (instance) => ({ instance, tests: await testsOfInstance(services, instance) }),
    ANALYTICS_LIMITS.instancesAtOnce,
  );
  const tested = read.flatMap(({ instance, tests }) => (tests ? [{ instance, tests }] : []));
  const unreadable = read.flatMap(({ instance, tests }) => (tests ? [] : [instance]));
  const numbers = await numbersFor(services, { run, groups, tested });
  const all = groups.map((group) => {
    const isOwn = ({ groupId }: Instance) => groupId === group.groupId;
    const own = tested.filter(({ instance }) => isOwn(instance));
    const of = { run, group, incomplete: unreadable.filter(isOwn).length };
    return factsRows(of, factsOfGroup(run, group, own, numbers));
  });
  return { entries: all.map(({ entry }) => entry), parts: all.flatMap(({ parts }) => parts), tested, unreadable };
}

interface GroupOfRun {
  readonly run: Run;
  readonly group: Group;
  readonly incomplete: number;
}

/** Returns the list entry of a run group, and the rows with the facts of the group. */
export function factsRows(
  { run, group, incomplete }: GroupOfRun,
  { tests, rest, counters }: GroupFacts,
): { readonly entry: PendingEntry; readonly parts: readonly FactsPart[] } {
  const { organizationId, runId, createdAt, commit, completionState, status, expiry } = run;
  const { groupId, environment } = group;
  const factsDigest = computeDigest(DIGEST_CHARACTERS, JSON.stringify([tests, rest]));
  const of = { organizationId, runId, groupId, factsDigest, expiresAt: expiry.results };
  const own = splitFacts({ ...of, kind: 'tests' }, tests);
  const others = splitFacts({ ...of, kind: 'rest' }, rest);
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
    tags: inheritedTags(run, group),
    completionState,
    status,
    counters,
    ran: run.imported && run.ran !== undefined ? run.ran || null : undefined,
    digest: factsDigest,
    sizes: { tests: sizeOf(own), rest: sizeOf(others) },
    endsAt: expiry.results,
    incomplete: incomplete || undefined,
  };
  return { entry, parts: [...own, ...others] };
}

const sizeOf = (parts: readonly FactsPart[]) => ({
  parts: parts.length,
  bytes: parts.reduce((total, { bytes }) => total + bytes.byteLength, 0),
});

/**
 * Stores the facts of a run, and the words by which search finds it. If the run was deleted in the meantime, the stored
 * rows are deleted again.
 */
async function store(
  { table }: CoreServices,
  run: Run,
  { newest, entries, parts }: Compiled & { readonly newest: PendingRun },
): Promise<void> {
  const words = listRunWords(run).map((word) => ({ ...run, word, expiresAt: run.expiry.results }));
  await table.writeMany([...parts.map((part) => put(factsParts, part)), ...words.map((word) => put(runWords, word))]);
  const done = await table.transact([
    check(runs, run, PRESENT),
    update(pendingRuns, newest, { set: [['packed', packEntries(entries)]] }, PRESENT),
  ]);
  if (done || (await table.get(runs, run, { consistent: true }))) return;
  await table.writeMany([
    ...parts.map((part) => remove(factsParts, part)),
    ...words.map((word) => remove(runWords, word)),
  ]);
}

// Looks up the numbers that stand for the spec files and series of a run. Names that are new to the project get the
// next free numbers.

export async function numbersFor(
  services: WithTable,
  { run, groups, tested }: Pick<WholeRun, 'run' | 'groups'> & { readonly tested: readonly TestedInstance[] },
): Promise<Numbers> {
  const { organizationId, projectId } = run;
  const list = { organizationId, projectId };
  const files = [...new Set(tested.map(({ instance }) => instance.spec))];
  const specs = await ensureNames<string>(services, { ...list, kind: 'SPEC' }, (known) => {
    const names = new Set(known.values());
    return files.filter((file) => !names.has(file));
  });
  const specNumbers = new Map([...specs].map(([number, file]) => [file, number]));
  const inherited = new Map(groups.map((group) => [group.groupId, inheritedTags(run, group)]));
  const wanted = tested.flatMap(({ instance, tests }) =>
    tests.map((test) => {
      const tags = ownTags(test, inherited.get(instance.groupId) ?? []);
      return seriesName(specNumbers.get(instance.spec) ?? 0, { ...test, tags });
    }),
  );
  const series = await ensureNames<SeriesName>(services, { ...list, kind: 'TEST' }, (known) =>
    missingSeries(known, wanted),
  );
  const numberOf = seriesNumbers(series);
  return {
    spec: (file) => specNumbers.get(file),
    series: (file, test, tags) => numberOf(seriesName(specNumbers.get(file) ?? 0, { ...test, tags })),
  };
}

// Computes the facts of one group of an ended run from its instances. Deterministic: equal instances give equal
// facts.

export interface TestedInstance {
  readonly instance: Instance;
  readonly tests: readonly RecordedTest[];
}

/** Looks up the numbers that stand for spec files and tests in stored facts. A test beyond the limits has no number. */
export interface Numbers {
  readonly spec: (specFile: string) => number | undefined;
  readonly series: (specFile: string, test: RecordedTest, own: readonly string[]) => number | undefined;
}

interface GroupFacts {
  readonly tests: StoredSums;
  readonly rest: RestOfFacts;
  readonly counters: Counters;
}

/** The tags of a test, without the tags of its run and its group. */
const ownTags = (test: RecordedTest, inherited: readonly string[]): string[] =>
  test.tags.filter((tag) => !inherited.includes(tag));

const inheritedTags = (run: Run, group: Group): string[] => mergeTags(run.tags, group.tags);

export function factsOfGroup(run: Run, group: Group, own: readonly TestedInstance[], numbers: Numbers): GroupFacts {
  const inherited = inheritedTags(run, group);
  const tests = testSums();
  const specs = specSums();
  const { errors, placeOf } = distinctErrors();
  const failed: { readonly error: number; readonly series: number }[] = [];
  const bySpec = own.toSorted((one, other) => (one.instance.instanceId < other.instance.instanceId ? -1 : 1));
  for (const { instance, tests: all } of bySpec) {
    const spec = numbers.spec(instance.spec);
    if (spec !== undefined) addSpec(specs, spec, specFactsOf(run, instance, all));
    for (const test of all.toSorted((one, other) => (one.testId < other.testId ? -1 : 1))) {
      const series = numbers.series(instance.spec, test, ownTags(test, inherited));
      if (series === undefined) continue;
      const { outcome, flaky, attempts } = test;
      const milliseconds = Math.round(sumDurations(attempts));
      // The durations of interrupted tests and implausible durations are not counted.
      const isTimed = attempts.at(-1)?.rawStatus !== 'interrupted' && isMeasured(attempts);
      addExecution(tests, series, { outcome, flaky, milliseconds, isTimed }, run.createdAt);
      const error = shouldStoreEvidence(test) ? findDisplayedError(attempts) : undefined;
      if (error) failed.push({ error: placeOf(storedErrorOf(error)), series });
    }
  }
  const counted = own.flatMap((one) => one.tests.map((test) => ({ ...test, retries: countRetries(test.attempts) })));
  const events = { errors, error: failed.map(({ error }) => error), series: failed.map(({ series }) => series) };
  const rest = { specs: specs.stored(), events };
  return { tests: tests.stored(), rest, counters: countTests(counted) };
}

function specFactsOf(run: Run, instance: Instance, tests: readonly RecordedTest[]) {
  const isReported = isComplete(instance);
  const failed = tests.some(({ outcome }) => outcome === 'failed' || outcome === 'skipped') || hasFailed(instance);
  const milliseconds = isReported ? computeBusyTime(tests.flatMap(({ attempts }) => attempts)) : undefined;
  const isTimed = milliseconds !== undefined ? 1 : 0;
  const isBrokenOff = run.completionState === 'TIMEOUT' || run.completionState === 'CANCELED';
  return {
    executions: 1,
    failed: failed ? 1 : 0,
    flaky: tests.some(({ flaky }) => flaky) ? 1 : 0,
    fullyReported: isReported ? 1 : 0,
    timedOut: !isReported && isBrokenOff ? 1 : 0,
    milliseconds: milliseconds ?? 0,
    timed: isTimed,
    millisecondsWithoutFailed: failed ? 0 : (milliseconds ?? 0),
    timedWithoutFailed: failed ? 0 : isTimed,
    suiteSize: isReported ? countKnownTests(instance) : 0,
  };
}
