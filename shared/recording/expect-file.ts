/** Stores a spec file of a suite: its instance and its expected tests. Idempotent. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { optimistically } from '#shared/engine/table/optimistic.ts';
import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { tooManyTests } from '#shared/ingest/errors.ts';
import { watchInstance } from '#shared/ingest/watch-instance.ts';
import { watchTest } from '#shared/ingest/watch-test.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { type Instance, type InstanceKey, instances, isComplete, newInstance } from '#shared/model/tests/instance.ts';
import { type SuiteKeys, suiteKeys, suiteKeysSpan, suiteOfKeys } from '#shared/model/tests/suite-keys.ts';
import type { Services } from '#shared/services.ts';

export interface ExpectedFile extends InstanceKey {
  readonly groupId: string;
  readonly spec: string;
  readonly expiry: Instance['expiry'];
  /** The keys of the tests, distinct and in the order of the suite. */
  readonly testKeys: readonly string[];
  readonly progressRows: number;
}

/** Stores spec files of a suite. Machines that name different tests of a file do not wait for each other. */
export async function expectFiles(services: Services, files: readonly ExpectedFile[]): Promise<void> {
  const first = await mapConcurrently(files, (file) => expectFile(services, file, { watched: file === files.at(-1) }));
  await services.table.writeMany(first.flat().map((keys) => put(suiteKeys, keys)));
}

/**
 * Stores one spec file. Returns the keys of its tests for the caller to write if no other suite has named the file.
 * `watched` is set for the last file of a suite, because it usually ends last.
 */
async function expectFile(
  services: Services,
  file: ExpectedFile,
  { watched }: { watched: boolean },
): Promise<SuiteKeys[]> {
  const { testKeys, progressRows, ...key } = file;
  const suite = suiteOfKeys(testKeys);
  const row = newInstance({ ...key, createdAt: services.now() });
  const tests = { suite, reserved: testKeys.length, expected: testKeys.length };
  const created = await services.table.put(instances, { ...row, ...tests, ...(watched ? { watched } : {}) }, ABSENT);
  const known = created.done ? undefined : created.existing;
  if (known && watched && !known.watched) await watchInstance(services, known);
  // A repeated suite has the same digest. The first request may have been killed before it wrote the keys.
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
  suite: suiteOfKeys(testKeys),
});

async function expectMore(services: Services, file: ExpectedFile, known: Instance): Promise<void> {
  const { table } = services;
  const missing = await reserve(services, file, known);
  if (missing.length === 0) return;
  await table.put(suiteKeys, keysOf(file));
  const expected = (await expectedOf(services, file)).size;
  const isMore = { path: 'expected', atMost: expected };
  const outcome = await table.update(instances, file, { set: [['expected', expected]] }, isMore);
  const instance = outcome.done ? outcome.item : outcome.existing;
  // A complete instance is not reviewed by itself. The mark makes each new test cause a review when it ends.
  if (!instance || !isComplete(instance)) return;
  for (const testKey of missing) await watchTest(services, { ...keysOf(file), testKey });
}

async function expectedOf({ table }: Services, of: InstanceKey): Promise<Set<string>> {
  const rows = await table.queryAll(suiteKeys, suiteKeysSpan(of), { consistent: true });
  return new Set(rows.flatMap(({ testKeys }) => testKeys));
}

/** Rounds during which concurrent suites may write their keys. */
const PATIENT_ROUNDS = 4;

/** Reserves room for the tests that no other suite has named, and returns them. */
async function reserve(services: Services, file: ExpectedFile, first: Instance): Promise<string[]> {
  const { table } = services;
  let missing: string[] = [];
  let known: Instance | undefined = first;
  let round = 0;
  await optimistically('tests of a spec file', async () => {
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
    // Concurrent suites with the same tests reserve them twice. This write corrects the count.
    const corrected = { set: [['reserved', all]] as const };
    const outcome = isPatient
      ? await table.update(instances, file, { add: [['reserved', missing.length]] }, hasRoom)
      : await table.update(instances, file, corrected, { path: 'reserved', equals: known.reserved });
    known = outcome.done ? outcome.item : outcome.existing;
    return outcome.done;
  });
  return missing;
}
