/** The expected tests of a run: one row per group and spec file, there before the first test starts. */
import { mapConcurrently } from '../concurrently.ts';
import { startGroups } from '../lifecycle/start-groups.ts';
import { optimistically } from '../optimistic.ts';
import type { Group } from '../resources/group.ts';
import { instanceIdOf, testKeyOf } from '../resources/ids.ts';
import { type Instance, instances } from '../resources/instance.ts';
import { membersSpan, type Run, runs } from '../resources/run.ts';
import type { Services } from '../services.ts';
import { digest } from '../table/keys.ts';
import { ABSENT, PRESENT } from '../table/writes.ts';

import type { SuiteGroup } from './run-wire.ts';

const SUITE_CHARACTERS = 16;
/** An update expression holds 4 KB. */
const TESTS_PER_UPDATE = 50;

export const suiteDigest = (suite: readonly SuiteGroup[]): string => digest(SUITE_CHARACTERS, JSON.stringify(suite));

/** Adds what is missing and takes nothing away, so machines may bring different parts of a suite, twice or at once. */
export async function storeSuite(services: Services, run: Run, suite: readonly SuiteGroup[]): Promise<void> {
  const rows = instanceRows(run, suite, services.now());
  await startGroups(services, run, groupRows(run, suite));
  await mapConcurrently(rows, (row) => addInstance(services, row));
  await expectInstances(services, run, { suite: suiteDigest(suite), added: rows.length });
}

function groupRows({ organizationId, runId }: Run, suite: readonly SuiteGroup[]): Group[] {
  const platform = { osName: null, osVersion: null, browserName: null, browserVersion: null };
  const rest = { platform, coverageEnabled: false, joins: {} };
  const rows = suite.map(
    ({ name: groupId, tags, environment }): Group => ({ organizationId, runId, groupId, tags, environment, ...rest }),
  );
  return [...new Map(rows.map((row) => [row.groupId, row])).values()];
}

function instanceRows({ organizationId, runId }: Run, suite: readonly SuiteGroup[], createdAt: number): Instance[] {
  const rows = new Map<string, { groupId: string; spec: string; results: Record<string, string> }>();
  for (const { name: groupId, tests } of suite) {
    for (const { testId, spec } of tests) {
      const instanceId = instanceIdOf({ runId, groupId, spec });
      const row = rows.get(instanceId) ?? { groupId, spec, results: {} };
      row.results[testKeyOf(testId)] = '';
      rows.set(instanceId, row);
    }
  }
  return [...rows].map(([instanceId, row]) => ({
    organizationId,
    runId,
    instanceId,
    createdAt,
    claims: [],
    testTags: {},
    version: 0,
    ...row,
  }));
}

async function addInstance({ table }: Services, row: Instance): Promise<void> {
  const { done, ...met } = await table.put(instances, row, ABSENT);
  if (done || !('existing' in met)) return;
  const missing = Object.keys(row.results).filter((testKey) => met.existing?.results[testKey] === undefined);
  for (let start = 0; start < missing.length; start += TESTS_PER_UPDATE) {
    const some = missing.slice(start, start + TESTS_PER_UPDATE);
    await table.update(
      instances,
      row,
      { setIfAbsent: some.map((testKey) => [['results', testKey], ''] as const) },
      PRESENT,
    );
  }
}

interface Stored {
  /** Its digest. */
  readonly suite: string;
  /** Its instances. */
  readonly added: number;
}

/**
 * The suite and how many instances are expected are one write: who dies in between would leave a suite that nobody stores
 * again, and a run that ends with the first instance. A second, different suite may name instances of the first, so only
 * what is there tells how many there are; who thought to be alone and is not looks at that.
 */
async function expectInstances({ table, now }: Services, known: Run, { suite, added }: Stored): Promise<void> {
  let run = known;
  await optimistically('suites of a run', async () => {
    const alone = Object.keys(run.suites).length === 0 && run.instancesExpected === 0;
    const all = alone ? [] : await table.queryAll(instances, membersSpan(run, 'INSTANCE'), { consistent: true });
    const expected = Math.max(run.instancesExpected, added, all.length);
    const changes = {
      set: [['instancesExpected', expected]] as const,
      setIfAbsent: [[['suites', suite], now()]] as const,
    };
    const atMost = alone ? 0 : expected;
    const outcome = await table.update(runs, run, changes, { path: 'instancesExpected', atMost });
    // One that is gone was deleted, and expects nothing.
    if (outcome.done || !outcome.existing) return true;
    run = outcome.existing;
    return false;
  });
}
