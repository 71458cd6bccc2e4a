/** Stores the tests that a run expects, by group and spec file. Machines of a run may add different suites. */
import { keepFirstTexts } from '#shared/engine/byte-budget.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { computeDigest } from '#shared/engine/table/keys.ts';
import { Again, retryOptimisticallyFrom } from '#shared/engine/table/optimistic.ts';
import { ABSENT, PRESENT, put } from '#shared/engine/table/writes.ts';
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
import { type Run, runs } from '#shared/model/runs/run.ts';
import { type AddedBySuite, addSuiteToRow, getSuiteRow, storedSuites } from '#shared/model/runs/stored-suites.ts';
import type { Services } from '#shared/services.ts';
import { type RunRequest, type SuiteGroup, UNKNOWN_FACTS } from './run-request.ts';

/** The suite that a request sends, and what it says about the group of its machine. */
export type SuiteRequest = Pick<RunRequest, 'suite' | 'groupId' | 'facts' | 'holds'>;

const SUITE_CHARACTERS = 16;
const ADDED_BY_CHARACTERS = 8;
const getSuiteName = (digest: string): string => digest.slice(0, ADDED_BY_CHARACTERS);

/** Whether all spec files of the suite are stored, and are those that the row of the run counts. */
export const isCountedSuite = ({ countedSuite }: Run, digest: string): boolean => countedSuite === getSuiteName(digest);

const NOTHING: AddedBySuite = { files: 0, tests: 0 };

export const hashSuite = (suite: readonly SuiteGroup[]): string =>
  computeDigest(SUITE_CHARACTERS, JSON.stringify(suite));

/** The suite that a request sends. It always contains the group of the machine, even if the group has no tests. */
export const completeSuite = ({ suite, groupId }: SuiteRequest): readonly SuiteGroup[] =>
  suite.some(({ name }) => name === groupId)
    ? suite
    : [...suite, { name: groupId, tags: [], environment: null, tests: [] }];

/** The run and the group of the machine, as they are after the suite is stored. */
export interface StoredSuite {
  /** Absent if the run was deleted meanwhile. */
  readonly run: Run | undefined;
  readonly group: Group | undefined;
}

/**
 * Tests are only added, so machines may send different parts of a suite, several times or at the same time. The row of
 * the run is written after the spec files, so that the end of the run does not overlook them, and the suite is marked
 * as stored last.
 */
export async function storeSuite(services: Services, run: Run, request: SuiteRequest): Promise<StoredSuite> {
  const suite = completeSuite(request);
  const digest = hashSuite(suite);
  const files = listExpectedFiles(run, suite);
  const storedGroups = await ensureGroups(services, run, makeGroupRows(run, suite, request));
  const by = getSuiteName(digest);
  const addition = await expectFiles(services, files, by);
  const { run: latestRun, isCounted } = await announceSuite(services, run, {
    holds: request.holds,
    by,
    added: addition,
  });
  const { changes, when } = addSuiteToRow(digest, isCounted ? NOTHING : addition, { expiresAt: run.expiry.results });
  await services.table.update(storedSuites, getSuiteRow(run, digest), changes, when);
  return { run: latestRun, group: storedGroups.find(({ groupId }) => groupId === request.groupId) };
}

interface CountedSuite {
  /** As it is then. Absent if the run was deleted meanwhile. */
  readonly run: Run | undefined;
  /** Whether its spec files and tests are those in the row of the run. */
  readonly isCounted: boolean;
}

/**
 * Makes sure that the run does not end by a decision that overlooked the spec files just stored. A held run does not end
 * before it is released, and whoever releases it reads the spec files after that. Only machines that hold the run look
 * whether it is held, because a read then replaces a write by each of them.
 */
async function announceSuite(
  { table }: Services,
  run: Run,
  { holds, by, added }: Pick<SuiteRequest, 'holds'> & { readonly by: string; readonly added: AddedBySuite },
): Promise<CountedSuite> {
  const latestRun = holds ? await table.get(runs, run, { consistent: true }) : run;
  if (!latestRun) return { run: undefined, isCounted: false };
  if (holds && latestRun.held && latestRun.hasFurtherSuites)
    return { run: latestRun, isCounted: latestRun.countedSuite === by };
  return retryOptimisticallyFrom('suites of a run', latestRun, async ({ instancesExpected, countedSuite }) => {
    const isFirst = added.files > 0 && instancesExpected === 0;
    const isCounted = isFirst || countedSuite === by;
    const set = [
      ...(isFirst
        ? Object.entries({ instancesExpected: added.files, testsExpected: added.tests, countedSuite: by })
        : []),
      ...(isCounted || added.tests === 0 ? [] : [['hasFurtherSuites', true] as const]),
    ];
    const when = isFirst ? { path: 'instancesExpected', equals: 0 } : PRESENT;
    const outcome = await table.update(runs, run, { set, add: [['resets', 1]] }, when);
    return outcome.done || !outcome.item ? { run: outcome.item, isCounted } : new Again(outcome.item);
  });
}

export function makeGroupRows(
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
async function expectFiles(services: Services, files: readonly ExpectedFile[], by: string): Promise<AddedBySuite> {
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
