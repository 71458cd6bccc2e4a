/** Stores the tests that a run expects, by group and spec file. Machines of a run may add different suites. */
import { keepFirstTexts } from '#shared/engine/byte-budget.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { computeDigest } from '#shared/engine/table/keys.ts';
import { retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { tooManyTests } from '#shared/ingest/errors.ts';
import { watchInstance } from '#shared/ingest/watch-instance.ts';
import { watchTest } from '#shared/ingest/watch-test.ts';
import { openInstance } from '#shared/lifecycle/open-instance.ts';
import { startGroups } from '#shared/lifecycle/start-groups.ts';
import { deriveInstanceId, deriveTestKey } from '#shared/model/ids.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Group } from '#shared/model/runs/group.ts';
import { countProgressRows } from '#shared/model/runs/progress.ts';
import { getRunMembersSpan, type Run, runs } from '#shared/model/runs/run.ts';
import { type Instance, type InstanceKey, instances, isComplete, makeInstance } from '#shared/model/tests/instance.ts';
import { getSuiteKeysSpan, hashTestKeys, type SuiteKeys, suiteKeys } from '#shared/model/tests/suite-keys.ts';
import type { Services } from '#shared/services.ts';
import { RECORDING_LIMITS } from './limits.ts';
import { type Machine, UNKNOWN } from './machine.ts';
import type { CreateRunBody, SuiteGroup } from './run-wire.ts';

const SUITE_CHARACTERS = 16;

export const suiteDigest = (suite: readonly SuiteGroup[]): string =>
  computeDigest(SUITE_CHARACTERS, JSON.stringify(suite));

/** The suite that a request sends. It always contains the group of the machine, even if the group has no tests. */
export function suiteOf({ fullTestSuite, group }: CreateRunBody): readonly SuiteGroup[] {
  const suite = fullTestSuite ?? [];
  return suite.some(({ name }) => name === group)
    ? suite
    : [...suite, { name: group, tags: [], environment: null, tests: [] }];
}

/**
 * Stores the suite. Tests are only added and never removed, so machines may send different parts of a suite, several
 * times or at the same time.
 */
export async function storeSuite(
  services: Services,
  run: Run,
  suite: readonly SuiteGroup[],
  machine: Machine,
): Promise<void> {
  const files = expectedFiles(run, suite);
  const tests = files.reduce((total, { testKeys }) => total + testKeys.length, 0);
  const rows = groupRows(run, suite, machine);
  await startGroups(services, run, rows);
  await expectFiles(services, files);
  await expectInstances(services, run, { suite: suiteDigest(suite), added: files.length, tests });
}

function groupRows({ organizationId, runId, expiry }: Run, suite: readonly SuiteGroup[], machine: Machine): Group[] {
  const rows = suite.map(({ name: groupId, tags: all, environment }): Group => {
    const facts = groupId === machine.groupId ? machine.facts : UNKNOWN;
    const tags = keepFirstTexts(all, MODEL_LIMITS.rowBytes.groupTags);
    return { organizationId, runId, groupId, tags, environment, ...facts, expiresAt: expiry.results };
  });
  return [...new Map(rows.map((row) => [row.groupId, row])).values()];
}

function expectedFiles({ organizationId, runId, expiry }: Run, suite: readonly SuiteGroup[]): ExpectedFile[] {
  const all = suite.flatMap(({ name: groupId, tests }) => tests.map(({ testId, spec }) => ({ groupId, spec, testId })));
  const files = Map.groupBy(all, ({ groupId, spec }) => deriveInstanceId({ runId, groupId, spec }));
  const progressRows = countProgressRows(files.size);
  return [...files].flatMap(([instanceId, own]) => {
    const [first] = own;
    if (!first) return [];
    const { groupId, spec } = first;
    const testKeys = [...new Set(own.map(({ testId }) => deriveTestKey(testId)))];
    return { organizationId, runId, instanceId, groupId, spec, expiry, testKeys, progressRows };
  });
}

interface ExpectedFile extends InstanceKey {
  readonly groupId: string;
  readonly spec: string;
  readonly expiry: Instance['expiry'];
  /** The keys of the tests, distinct and in the order of the suite. */
  readonly testKeys: readonly string[];
  readonly progressRows: number;
}

/**
 * Stores the spec files of a suite. Machines whose suites contain different tests of the same file do not wait for each
 * other.
 */
async function expectFiles(services: Services, files: readonly ExpectedFile[]): Promise<void> {
  const first = await mapConcurrently(files, (file) => expectFile(services, file, { watched: file === files.at(-1) }));
  await services.table.writeMany(first.flat().map((keys) => put(suiteKeys, keys)));
}

/**
 * Stores the instance of one spec file. Idempotent. Returns the keys of its tests, which the caller must write. The
 * list is empty if a suite with other tests of the file was stored first, because `expectMore` then writes the missing
 * keys. If `watched` is set, the end of the file triggers a check whether the run is complete. `watched` is set for the
 * last file of a suite, because that file usually ends last.
 */
async function expectFile(
  services: Services,
  file: ExpectedFile,
  { watched }: { watched: boolean },
): Promise<SuiteKeys[]> {
  const { testKeys, progressRows, ...key } = file;
  const suite = hashTestKeys(testKeys);
  const row = makeInstance({ ...key, createdAt: services.now() });
  const tests = { suite, reserved: testKeys.length, expected: testKeys.length };
  const created = await services.table.put(instances, { ...row, ...tests, watched: watched || undefined }, ABSENT);
  const known = created.done ? undefined : created.item;
  if (known && watched && !known.watched) await watchInstance(services, known);
  // If the digest is the same, the suite was sent before. The keys are written again, because the earlier request may
  // have been killed before it wrote them.
  if (!known || known.suite === suite) return [keysOf(file)];
  await expectMore(services, file, known);
  return [];
}

const keysOf = ({ organizationId, instanceId, testKeys, progressRows, expiry }: ExpectedFile): SuiteKeys => ({
  organizationId,
  instanceId,
  testKeys,
  progressRows,
  expiresAt: expiry.results,
  suite: hashTestKeys(testKeys),
});

async function expectMore(services: Services, file: ExpectedFile, known: Instance): Promise<void> {
  const { table } = services;
  const missing = await reserve(services, file, known);
  if (missing.length === 0) return;
  await table.put(suiteKeys, keysOf(file));
  const expected = (await expectedOf(services, file)).size;
  const isMore = { path: 'expected', atMost: expected };
  const { item: instance } = await table.update(instances, file, { set: [['expected', expected]] }, isMore);
  // A complete instance is not checked again automatically. Because the new tests are marked as watched, each of them
  // triggers a check when it ends.
  if (!instance || !isComplete(instance)) return;
  for (const testKey of missing) await watchTest(services, { ...keysOf(file), testKey });
  // The run must not end before the new tests.
  await openInstance(services, file, instance);
}

async function expectedOf({ table }: Services, of: InstanceKey): Promise<Set<string>> {
  const rows = await table.queryAll(suiteKeys, getSuiteKeysSpan(of), { consistent: true });
  return new Set(rows.flatMap(({ testKeys }) => testKeys));
}

/** Maximum number of times to wait for concurrent requests to write their keys. */
const PATIENT_ROUNDS = 4;

/**
 * Returns the tests that no other suite contains, and reserves space for them in the spec file. Throws 400 if the spec
 * file would have too many tests.
 */
async function reserve(services: Services, file: ExpectedFile, first: Instance): Promise<string[]> {
  const { table } = services;
  let missing: string[] = [];
  let known: Instance | undefined = first;
  let round = 0;
  await retryOptimistically('tests of a spec file', async () => {
    if (!known) return true;
    round += 1;
    const expected = await expectedOf(services, file);
    const isPatient = round <= PATIENT_ROUNDS;
    if (isPatient && expected.size < known.expected) return false;
    missing = file.testKeys.filter((testKey) => !expected.has(testKey));
    if (missing.length === 0) return true;
    const all = expected.size + missing.length;
    if (all > MODEL_LIMITS.testsPerSpec) throw tooManyTests(MODEL_LIMITS.testsPerSpec);
    const hasRoom = { path: 'reserved', atMost: MODEL_LIMITS.testsPerSpec - missing.length };
    // Concurrent suites with the same tests reserve space for these tests twice. This write corrects the count.
    const corrected = { set: [['reserved', all]] as const };
    const outcome = isPatient
      ? await table.update(instances, file, { add: [['reserved', missing.length]] }, hasRoom)
      : await table.update(instances, file, corrected, { path: 'reserved', equals: known.reserved });
    known = outcome.item;
    return outcome.done;
  });
  return missing;
}

/**
 * Stores the digest of the suite and the numbers of instances and tests that the run waits for, in one write. With two
 * writes, a crash between them would let the run end as soon as its first instance ends. The stored instances are
 * counted, because several suites may contain the same instance. If another suite is stored at the same time, the
 * condition fails and the instances are counted again. `added`: the number of spec files in the suite.
 */
async function expectInstances(
  { table, now }: Services,
  known: Run,
  { suite, added, tests }: { readonly suite: string; readonly added: number; readonly tests: number },
): Promise<void> {
  let run = known;
  await retryOptimistically('suites of a run', async () => {
    const suites = Object.keys(run.suites).length;
    const alone = suites === 0 && run.instancesExpected === 0;
    const all = alone ? [] : await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), { consistent: true });
    const expected = Math.max(run.instancesExpected, added, all.length);
    const changes = {
      set: [
        ['instancesExpected', expected],
        ['testsExpected', alone ? tests : all.reduce((total, instance) => total + instance.expected, 0)],
      ] as const,
      setIfAbsent: suites < RECORDING_LIMITS.suitesPerRun ? [[['suites', suite], now()] as const] : [],
    };
    const atMost = alone ? 0 : expected;
    const outcome = await table.update(runs, run, changes, { path: 'instancesExpected', atMost });
    // If the run is missing, it was deleted, and there is nothing to update.
    if (outcome.done || !outcome.item) return true;
    run = outcome.item;
    return false;
  });
}
