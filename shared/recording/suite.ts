/** Stores the expected tests of a run before the first test starts: one row per group and spec file. */
import { firstWithin } from '#shared/engine/byte-budget.ts';
import { digest } from '#shared/engine/table/keys.ts';
import { optimistically } from '#shared/engine/table/optimistic.ts';
import { startGroups } from '#shared/lifecycle/start-groups.ts';
import type { Group } from '#shared/model/group.ts';
import { instanceIdOf, testKeyOf } from '#shared/model/ids.ts';
import { instances } from '#shared/model/instance.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { progressRowsFor } from '#shared/model/progress.ts';
import { membersSpan, type Run, runs } from '#shared/model/run.ts';
import type { Services } from '#shared/services.ts';
import { type ExpectedFile, expectFiles } from './expect-file.ts';
import { RECORDING_LIMITS } from './limits.ts';
import type { SuiteGroup } from './run-wire.ts';

const SUITE_CHARACTERS = 16;

export const suiteDigest = (suite: readonly SuiteGroup[]): string => digest(SUITE_CHARACTERS, JSON.stringify(suite));

/**
 * Stores a suite and only adds tests. Machines may therefore send different parts of a suite, repeatedly or
 * concurrently.
 */
export async function storeSuite(services: Services, run: Run, suite: readonly SuiteGroup[]): Promise<void> {
  const files = expectedFiles(run, suite);
  await startGroups(services, run, groupRows(run, suite));
  await expectFiles(services, files);
  const tests = files.reduce((total, { testKeys }) => total + testKeys.length, 0);
  await expectInstances(services, run, { suite: suiteDigest(suite), added: files.length, tests });
}

function groupRows({ organizationId, runId, expiry }: Run, suite: readonly SuiteGroup[]): Group[] {
  const platform = { osName: null, osVersion: null, browserName: null, browserVersion: null };
  const rest = { platform, coverageEnabled: false, expiresAt: expiry.results };
  const rows = suite.map(({ name: groupId, tags: all, environment }): Group => {
    const tags = firstWithin(all, MODEL_LIMITS.rowBytes.groupTags);
    return { organizationId, runId, groupId, tags, environment, ...rest };
  });
  return [...new Map(rows.map((row) => [row.groupId, row])).values()];
}

function expectedFiles({ organizationId, runId, expiry }: Run, suite: readonly SuiteGroup[]): ExpectedFile[] {
  const files = new Map<string, Omit<ExpectedFile, 'testKeys' | 'progressRows'> & { readonly testKeys: Set<string> }>();
  for (const { name: groupId, tests } of suite) {
    for (const { testId, spec } of tests) {
      const instanceId = instanceIdOf({ runId, groupId, spec });
      const file = files.get(instanceId) ?? {
        ...{ organizationId, runId, instanceId, groupId, spec, expiry },
        testKeys: new Set<string>(),
      };
      file.testKeys.add(testKeyOf(testId));
      files.set(instanceId, file);
    }
  }
  const progressRows = progressRowsFor(files.size);
  return [...files.values()].map((file) => ({ ...file, progressRows, testKeys: [...file.testKeys] }));
}

interface Stored {
  /** The digest of the suite. */
  readonly suite: string;
  /** The number of its instances. */
  readonly added: number;
  /** The number of its tests. */
  readonly tests: number;
}

const hasRoomForSuite = ({ suites }: Run): boolean => Object.keys(suites).length < RECORDING_LIMITS.suitesPerRun;

/**
 * Writes the suite and the number of expected instances together. Otherwise a crash between two writes would let the
 * run end with its first instance. Different suites may share instances, so only the stored instances give the number.
 * A concurrent suite makes the condition fail, and the next attempt counts them.
 */
async function expectInstances({ table, now }: Services, known: Run, { suite, added, tests }: Stored): Promise<void> {
  let run = known;
  await optimistically('suites of a run', async () => {
    const alone = Object.keys(run.suites).length === 0 && run.instancesExpected === 0;
    const all = alone ? [] : await table.queryAll(instances, membersSpan(run, 'INSTANCE'), { consistent: true });
    const expected = Math.max(run.instancesExpected, added, all.length);
    const changes = {
      set: [
        ['instancesExpected', expected],
        ['testsExpected', alone ? tests : all.reduce((total, instance) => total + instance.expected, 0)],
      ] as const,
      setIfAbsent: hasRoomForSuite(run) ? [[['suites', suite], now()] as const] : [],
    };
    const atMost = alone ? 0 : expected;
    const outcome = await table.update(runs, run, changes, { path: 'instancesExpected', atMost });
    // A missing run was deleted and expects nothing.
    if (outcome.done || !outcome.existing) return true;
    run = outcome.existing;
    return false;
  });
}
