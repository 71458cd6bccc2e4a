/** Stores the expected tests of a run before the first test starts: one row per group and spec file. */
import { firstWithin } from '#shared/engine/byte-budget.ts';
import { digest } from '#shared/engine/table/keys.ts';
import { startGroups } from '#shared/lifecycle/start-groups.ts';
import { instanceIdOf, testKeyOf } from '#shared/model/ids.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Group } from '#shared/model/runs/group.ts';
import { progressRowsFor } from '#shared/model/runs/progress.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { type ExpectedFile, expectFiles } from './expect-file.ts';
import { expectInstances } from './expect-instances.ts';
import { type Machine, UNKNOWN } from './machine.ts';
import type { CreateRunBody, SuiteGroup } from './run-wire.ts';

const SUITE_CHARACTERS = 16;

export const suiteDigest = (suite: readonly SuiteGroup[]): string => digest(SUITE_CHARACTERS, JSON.stringify(suite));

/** The suite that a request sends. It always contains the group of the machine, even without tests. */
export function suiteOf({ fullTestSuite, group }: CreateRunBody): readonly SuiteGroup[] {
  const suite = fullTestSuite ?? [];
  return suite.some(({ name }) => name === group)
    ? suite
    : [...suite, { name: group, tags: [], environment: null, tests: [] }];
}

/** Stores the suite. Only adds tests, so machines may send different parts of a suite, repeatedly or concurrently. */
export async function storeSuite(
  services: Services,
  run: Run,
  suite: readonly SuiteGroup[],
  machine: Machine,
  late: { readonly mayBeLate: boolean },
): Promise<void> {
  const files = expectedFiles(run, suite);
  const tests = files.reduce((total, { testKeys }) => total + testKeys.length, 0);
  const rows = groupRows(run, suite, machine);
  await startGroups(services, run, rows, late);
  await expectFiles(services, files);
  await expectInstances(services, run, { suite: suiteDigest(suite), added: files.length, tests });
}

function groupRows({ organizationId, runId, expiry }: Run, suite: readonly SuiteGroup[], machine: Machine): Group[] {
  const rows = suite.map(({ name: groupId, tags: all, environment }): Group => {
    const facts = groupId === machine.groupId ? machine.facts : UNKNOWN;
    const tags = firstWithin(all, MODEL_LIMITS.rowBytes.groupTags);
    return { organizationId, runId, groupId, tags, environment, ...facts, expiresAt: expiry.results };
  });
  return [...new Map(rows.map((row) => [row.groupId, row])).values()];
}

function expectedFiles({ organizationId, runId, expiry }: Run, suite: readonly SuiteGroup[]): ExpectedFile[] {
  const files = new Map<string, Omit<ExpectedFile, 'testKeys' | 'progressRows'> & { readonly testKeys: Set<string> }>();
  for (const { name: groupId, tests } of suite) {
    for (const { testId, spec } of tests) {
      const instanceId = instanceIdOf({ runId, groupId, spec });
      const file = files.get(instanceId) ?? {
        organizationId,
        runId,
        instanceId,
        groupId,
        spec,
        expiry,
        testKeys: new Set<string>(),
      };
      file.testKeys.add(testKeyOf(testId));
      files.set(instanceId, file);
    }
  }
  const progressRows = progressRowsFor(files.size);
  return [...files.values()].map((file) => ({ ...file, progressRows, testKeys: [...file.testKeys] }));
}
