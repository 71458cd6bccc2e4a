/** Stores the spec files and tests that a suite adds to a run. Machines may add different suites at the same time. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { Again, retryOptimisticallyFrom } from '#shared/engine/table/optimistic.ts';
import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { tooManyTests } from '#shared/ingest/errors.ts';
import { watchInstance } from '#shared/ingest/watch-instance.ts';
import { watchTest } from '#shared/ingest/watch-test.ts';
import { openInstance } from '#shared/lifecycle/open-instance.ts';
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
import { countProgressRows } from '#shared/model/runs/progress.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { AddedBySuite } from '#shared/model/runs/stored-suites.ts';
import type { Services } from '#shared/services.ts';
import type { SuiteGroup } from './run-request.ts';

export const NOTHING: AddedBySuite = { files: 0, tests: 0 };

export function listExpectedFiles(
  { organizationId, runId, expiry }: Run,
  suite: readonly SuiteGroup[],
): ExpectedFile[] {
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
export async function expectFiles(
  services: Services,
  files: readonly ExpectedFile[],
  by: string,
): Promise<AddedBySuite> {
  const outcomes = await mapConcurrently(files, (file) =>
    expectFile(services, file, { by, watched: file === files.at(-1) }),
  );
  await services.table.writeMany(outcomes.flatMap(({ keys }) => keys).map((keys) => put(suiteKeys, keys)));
  return {
    files: outcomes.reduce((total, { added }) => total + added.files, 0),
    tests: outcomes.reduce((total, { added }) => total + added.tests, 0),
  };
}

/** `keys`: those that the caller must write. */
interface ExpectedOutcome {
  readonly keys: readonly SuiteKeys[];
  readonly added: AddedBySuite;
}

interface Expecting {
  /** The start of the digest of the suite. */
  readonly by: string;
  /** The end of the file triggers a check whether the run is complete. Set for the last file, which usually ends last. */
  readonly watched: boolean;
}

/**
 * Idempotent. Returns no keys to write if a suite with other tests of the file was stored first, because `expectMore`
 * then writes those that are missing. A request that repeats an interrupted one counts what that one has added.
 */
async function expectFile(
  services: Services,
  file: ExpectedFile,
  { by, watched }: Expecting,
): Promise<ExpectedOutcome> {
  const { testKeys, progressRows, ...key } = file;
  const suite = hashTestKeys(testKeys);
  const row = makeInstance({ ...key, createdAt: services.now() });
  const tests = { suite, addedBy: by, reserved: testKeys.length, expected: testKeys.length };
  const outcome = await services.table.put(instances, { ...row, ...tests, watched: watched || undefined }, ABSENT);
  const storedInstance = outcome.done ? undefined : outcome.item;
  if (storedInstance && watched && !storedInstance.watched) await watchInstance(services, storedInstance);
  const isFirst = !storedInstance || storedInstance.addedBy === by;
  const addition = isFirst ? { files: 1, tests: testKeys.length } : NOTHING;
  // If the digest is the same, the suite was sent before. The keys are written again, because the earlier request may
  // have been killed before it wrote them.
  if (!storedInstance || storedInstance.suite === suite) return { keys: [toSuiteKeys(file)], added: addition };
  return { keys: [], added: { files: 0, tests: await expectMore(services, file, storedInstance, by) } };
}

const toSuiteKeys = ({ organizationId, instanceId, testKeys, progressRows, expiry }: ExpectedFile): SuiteKeys => ({
  organizationId,
  instanceId,
  testKeys,
  progressRows,
  expiresAt: expiry.results,
  suite: hashTestKeys(testKeys),
});

/** Returns the number of tests that the suite has added to those of other suites, now or in an interrupted request. */
async function expectMore(
  services: Services,
  file: ExpectedFile,
  storedInstance: Instance,
  by: string,
): Promise<number> {
  const { table } = services;
  const missingKeys = await reserveTests(services, file, storedInstance);
  const keys = toSuiteKeys(file);
  if (missingKeys.length > 0) await table.put(suiteKeys, { ...keys, added: { by, tests: missingKeys.length } }, ABSENT);
  const rows = await readSuiteKeys(services, file);
  const ownKeys = rows.find(({ suite }) => suite === keys.suite);
  const addedCount = ownKeys?.added?.by === by ? ownKeys.added.tests : 0;
  if (missingKeys.length === 0) return addedCount;
  const expectedCount = listTestKeys(rows).size;
  const isMore = { path: 'expected', atMost: expectedCount };
  const { item: instance } = await table.update(instances, file, { set: [['expected', expectedCount]] }, isMore);
  // A complete instance is only checked again because each of its new tests is marked as watched.
  if (!instance || !isComplete(instance)) return addedCount;
  for (const testKey of missingKeys) await watchTest(services, { ...keys, testKey });
  // The run must not end before the new tests.
  await openInstance(services, file, instance);
  return addedCount;
}

const readSuiteKeys = ({ table }: Services, key: InstanceKey): Promise<SuiteKeys[]> =>
  table.queryAll(suiteKeys, getSuiteKeysSpan(key), { consistent: true });

const listTestKeys = (rows: readonly SuiteKeys[]): Set<string> => new Set(rows.flatMap(({ testKeys }) => testKeys));

/** Maximum number of times to wait for concurrent requests to write their keys. */
const PATIENT_ROUNDS = 4;

/** Returns the tests that no other suite contains. Throws 400 if the spec file would have too many tests. */
async function reserveTests(services: Services, file: ExpectedFile, first: Instance): Promise<string[]> {
  const { table } = services;
  return retryOptimisticallyFrom('tests of a spec file', first, async (storedInstance, round) => {
    const expectedKeys = listTestKeys(await readSuiteKeys(services, file));
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
