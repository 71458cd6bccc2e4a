/** Counts the spec files and tests that a run waits for. */
import { optimistically } from '#shared/engine/table/optimistic.ts';
import { type Run, runMembersSpan, runs } from '#shared/model/runs/run.ts';
import { instances } from '#shared/model/tests/instance.ts';
import type { Services } from '#shared/services.ts';
import { RECORDING_LIMITS } from './limits.ts';

interface Stored {
  /** Digest of the suite. */
  readonly suite: string;
  /** Number of instances that the suite expects. */
  readonly added: number;
  /** Number of tests that the suite expects. */
  readonly tests: number;
}

const hasRoomForSuite = ({ suites }: Run): boolean => Object.keys(suites).length < RECORDING_LIMITS.suitesPerRun;

/**
 * Writes the suite and the number of expected instances together. Otherwise, after a crash between two writes, the run
 * would end with its first instance. Suites may share instances, so the stored instances are counted. A concurrent
 * suite makes the condition fail, and the next attempt counts again.
 */
export async function expectInstances(
  { table, now }: Services,
  known: Run,
  { suite, added, tests }: Stored,
): Promise<void> {
  let run = known;
  await optimistically('suites of a run', async () => {
    const alone = Object.keys(run.suites).length === 0 && run.instancesExpected === 0;
    const all = alone ? [] : await table.queryAll(instances, runMembersSpan(run, 'INSTANCE'), { consistent: true });
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
