import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '#test/harness/cases.ts';
import { service } from '#test/harness/service.ts';
import { command, play } from './commands.ts';
import { isFlaky, statusOf } from './judgement.ts';
import { overHttp } from './recorder.ts';
import { finalTests } from './selection.ts';
import type { Outcome, SentRun } from './sent.ts';
import { World } from './world.ts';

/** The start, duration, status and counts of the run as the oracle computes them, or 404 if it was deleted. */
function known(run: SentRun) {
  if (run.isDeleted) return 404;
  const groups = run.groups.map(({ name }) => {
    const tests = run.instances.filter(({ group }) => group === name).flatMap(finalTests);
    const having = (outcome: Outcome) => tests.filter((one) => one.outcome === outcome).length;
    const counts = [having('passed'), having('failed'), having('pending'), having('skipped')];
    return [name, ...counts, tests.filter(isFlaky).length];
  });
  const duration = run.ending === null ? null : run.endedAt - run.createdAt;
  const state = [run.ending ?? 'IN_PROGRESS', run.ending === null ? undefined : statusOf(run)];
  return [new Date(run.createdAt).toISOString(), duration, ...state, groups.sort()];
}

describe('The analytics oracle', () => {
  test('For each run, the oracle computes the same status and counts that the API shows', async () => {
    const stage = await service();
    const shown = async ({ runId }: SentRun) => {
      const { status, body } = await stage.reader.get(`/runs/${runId}`);
      if (status === 404) return 404;
      const { createdAt, durationMs, completionState, status: verdict, groups } = body.data;
      const rows = groups.map((group: { groupId: string; tests: Readonly<Record<string, number>> }) => {
        const { passes, failures, pending, skipped, flaky } = group.tests;
        return [group.groupId, passes, failures, pending, skipped, flaky];
      });
      const isOpen = completionState === 'IN_PROGRESS';
      return [createdAt, durationMs, completionState, isOpen ? undefined : verdict, rows.sort()];
    };
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 3, maxLength: 12 }), async (commands) => {
        const world = new World(overHttp(stage));
        for (const one of commands) await play(world, one);
        for (const run of world.runs) expect(await shown(run)).toEqual(known(run));
      }),
      { numRuns: cases(20, 2) },
    );
  });
});
