/** Stores the tests that a run expects, by group and spec file. Machines of a run may add different suites. */
import { keepFirstTexts } from '#shared/engine/byte-budget.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { computeDigest } from '#shared/engine/table/keys.ts';
import { Again, retryOptimisticallyFrom } from '#shared/engine/table/optimistic.ts';
import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { tooManyTests } from '#shared/ingest/errors.ts';
import { watchInstance } from '#shared/ingest/watch-instance.ts';
import { watchTest } from '#shared/ingest/watch-test.ts';
import { openInstance } from '#shared/lifecycle/open-instance.ts';
import { ensureGroups } from '#shared/lifecycle/start-groups.ts';
import { deriveInstanceId, deriveTestKey } from '#shared/model/ids.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import {
  type Instance,
  type InstanceKey,
  instances,
  isComplete,
  makeInstance,
} from '#shared/model/results/instance.ts';
import { getSuiteKeysSpan, hashTestKeys, type SuiteKeys, suiteKeys } from '#shared/model/results/suite-keys.ts';
import type { Group } from '#shared/model/runs/group.ts';
import { countProgressRows } from '#shared/model/runs/progress.ts';
import { getRunMembersSpan, type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { RECORDING_LIMITS } from './limits.ts';
import { type RunRequest, type SuiteGroup, UNKNOWN_FACTS } from './run-request.ts';

/** The suite that a request sends, and what it says about the group of its machine. */
export type SuiteRequest = Pick<RunRequest, 'suite' | 'groupId' | 'facts'>;

const SUITE_CHARACTERS = 16;

export const hashSuite = (suite: readonly SuiteGroup[]): string =>
  computeDigest(SUITE_CHARACTERS, JSON.stringify(suite));

/** The suite that a request sends. It always contains the group of the machine, even if the group has no tests. */
export const completeSuite = ({ suite, groupId }: SuiteRequest): readonly SuiteGroup[] =>
  suite.some(({ name }) => name === groupId)
    ? suite
    : [...suite, { name: groupId, tags: [], environment: null, tests: [] }];

/** Tests are only added, so machines may send different parts of a suite, several times or at the same time. */
export async function storeSuite(services: Services, run: Run, request: SuiteRequest): Promise<void> {
  const suite = completeSuite(request);
  const files = listExpectedFiles(run, suite);
  const tests = files.reduce((total, { testKeys }) => total + testKeys.length, 0);
  const rows = makeGroupRows(run, suite, request);
  await ensureGroups(services, run, rows);
  await expectFiles(services, files);
  await expectInstances(services, run, { suite: hashSuite(suite), added: files.length, tests });
}

function makeGroupRows(
  { organizationId, runId, expiry }: Run,
  suite: readonly SuiteGroup[],
  request: SuiteRequest,
): Group[] {
  const rows = suite.map(({ name: groupId, tags: all, environment }): Group => {
    const facts = groupId === request.groupId ? request.facts : UNKNOWN_FACTS;
    const tags = keepFirstTexts(all, MODEL_LIMITS.rowBytes.groupTags);
    return { organizationId, runId, groupId, tags, environment, ...facts, expiresAt: expiry.results };
  });
  return [...new Map(rows.map((row) => [row.groupId, row])).values()];
}

function listExpectedFiles({ organizationId, runId, expiry }: Run, suite: readonly SuiteGroup[]): ExpectedFile[] {
  const all = suite.flatMap(({ name: groupId, tests }) => tests.map(({ testId, spec }) => ({ groupId, spec, testId })));
  const files = Map.groupBy(all, ({ groupId, spec }) => deriveInstanceId({ runId, groupId, spec }));
  const progressRows = countProgressRows(files.size);
  return [...files].flatMap(([instanceId, fileTests]) => {
    const [first] = fileTests;
    if (!first) return [];
    const { groupId, spec } = first;
    const testKeys = [...new Set(fileTests.map(({ testId }) => deriveTestKey(testId)))];
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

/** Machines whose suites contain different tests of the same file do not wait for each other. */
async function expectFiles(services: Services, files: readonly ExpectedFile[]): Promise<void> {
  const newKeys = await mapConcurrently(files, (file) =>
    expectFile(services, file, { watched: file === files.at(-1) }),
  );
  await services.table.writeMany(newKeys.flat().map((keys) => put(suiteKeys, keys)));
}

/**
 * Idempotent. Returns the keys that the caller must write: none if a suite with other tests of the file was stored
 * first, because `expectMore` then writes those that are missing. `watched`: the end of the file triggers a check
 * whether the run is complete. It is set for the last file of a suite, which usually ends last.
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
  const outcome = await services.table.put(instances, { ...row, ...tests, watched: watched || undefined }, ABSENT);
  const storedInstance = outcome.done ? undefined : outcome.item;
  if (storedInstance && watched && !storedInstance.watched) await watchInstance(services, storedInstance);
  // If the digest is the same, the suite was sent before. The keys are written again, because the earlier request may
  // have been killed before it wrote them.
  if (!storedInstance || storedInstance.suite === suite) return [toSuiteKeys(file)];
  await expectMore(services, file, storedInstance);
  return [];
}

const toSuiteKeys = ({ organizationId, instanceId, testKeys, progressRows, expiry }: ExpectedFile): SuiteKeys => ({
  organizationId,
  instanceId,
  testKeys,
  progressRows,
  expiresAt: expiry.results,
  suite: hashTestKeys(testKeys),
});

async function expectMore(services: Services, file: ExpectedFile, storedInstance: Instance): Promise<void> {
  const { table } = services;
  const missingKeys = await reserveTests(services, file, storedInstance);
  if (missingKeys.length === 0) return;
  await table.put(suiteKeys, toSuiteKeys(file));
  const expectedCount = (await readExpectedKeys(services, file)).size;
  const isMore = { path: 'expected', atMost: expectedCount };
  const { item: instance } = await table.update(instances, file, { set: [['expected', expectedCount]] }, isMore);
  // A complete instance is only checked again because each of its new tests is marked as watched.
  if (!instance || !isComplete(instance)) return;
  for (const testKey of missingKeys) await watchTest(services, { ...toSuiteKeys(file), testKey });
  // The run must not end before the new tests.
  await openInstance(services, file, instance);
}

async function readExpectedKeys({ table }: Services, key: InstanceKey): Promise<Set<string>> {
  const rows = await table.queryAll(suiteKeys, getSuiteKeysSpan(key), { consistent: true });
  return new Set(rows.flatMap(({ testKeys }) => testKeys));
}

/** Maximum number of times to wait for concurrent requests to write their keys. */
const PATIENT_ROUNDS = 4;

/** Returns the tests that no other suite contains. Throws 400 if the spec file would have too many tests. */
async function reserveTests(services: Services, file: ExpectedFile, first: Instance): Promise<string[]> {
  const { table } = services;
  return retryOptimisticallyFrom('tests of a spec file', first, async (storedInstance, round) => {
    const expectedKeys = await readExpectedKeys(services, file);
    const isPatient = round < PATIENT_ROUNDS;
    if (isPatient && expectedKeys.size < storedInstance.expected) return new Again(storedInstance);
    const missingKeys = file.testKeys.filter((testKey) => !expectedKeys.has(testKey));
    if (missingKeys.length === 0) return missingKeys;
    const all = expectedKeys.size + missingKeys.length;
    if (all > MODEL_LIMITS.testsPerSpec) throw tooManyTests(MODEL_LIMITS.testsPerSpec);
    const hasRoom = { path: 'reserved', atMost: MODEL_LIMITS.testsPerSpec - missingKeys.length };
    // Concurrent suites with the same tests reserve space for these tests twice. This write corrects the count.
    const correction = { set: [['reserved', all]] as const };
    const outcome = isPatient
      ? await table.update(instances, file, { add: [['reserved', missingKeys.length]] }, hasRoom)
      : await table.update(instances, file, correction, { path: 'reserved', equals: storedInstance.reserved });
    // If the instance is missing, its run was deleted.
    return outcome.done || !outcome.item ? missingKeys : new Again(outcome.item);
  });
}

/**
 * Stores the digest of the suite and the numbers that the run waits for in one write. A crash between two writes would
 * let the run end with its first instance. The stored instances are counted, because several suites may contain the
 * same one, and counted again if another suite is stored meanwhile. `added`: the spec files in the suite.
 */
async function expectInstances(
  { table, now }: Services,
  storedRun: Run,
  { suite, added, tests }: { readonly suite: string; readonly added: number; readonly tests: number },
): Promise<void> {
  await retryOptimisticallyFrom('suites of a run', storedRun, async (run) => {
    const suites = Object.keys(run.suites).length;
    const isFirstSuite = suites === 0 && run.instancesExpected === 0;
    const all = isFirstSuite
      ? []
      : await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), { consistent: true });
    const expectedCount = Math.max(run.instancesExpected, added, all.length);
    const changes = {
      set: [
        ['instancesExpected', expectedCount],
        ['testsExpected', isFirstSuite ? tests : all.reduce((total, instance) => total + instance.expected, 0)],
      ] as const,
      setIfAbsent: suites < RECORDING_LIMITS.suitesPerRun ? [[['suites', suite], now()] as const] : [],
    };
    const atMost = isFirstSuite ? 0 : expectedCount;
    const outcome = await table.update(runs, run, changes, { path: 'instancesExpected', atMost });
    // If the run is missing, it was deleted, and there is nothing to update.
    return outcome.done || !outcome.item ? undefined : new Again(outcome.item);
  });
}
