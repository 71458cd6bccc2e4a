/** Random builds of several jobs, against an oracle that knows only which results were sent. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '#test/harness/cases.ts';
import { eventsOfRun } from '#test/harness/events.ts';
import { type Job, type Outcome, type RunningJob, WAYS, type WayName } from '#test/harness/jobs.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';

const MINUTE = 60_000;
const TESTS = ['cart.spec.ts > sums', 'cart.spec.ts > rounds', 'pay.spec.ts > pays'];

const anyOutcome = fc.constantFrom<Outcome>('passed', 'passed', 'failed');
const anyTests = fc
  .tuple(
    ...TESTS.map((name) =>
      fc.option(
        anyOutcome.map((outcome) => [name, outcome] as const),
        { nil: undefined },
      ),
    ),
  )
  .map((all) => Object.fromEntries(all.filter((one) => one !== undefined)))
  .filter((tests) => Object.keys(tests).length > 0);
const anyJob = fc.record({
  way: fc.constantFrom<WayName>('own reporter', 'published reporter', 'import', 'command line'),
  group: fc.constantFrom('default', 'linux'),
  tests: anyTests,
});
/** Which job acts next, or the end of a quiet time in which the run may end. */
const anySchedule = fc.array(fc.nat({ max: 4 }), { maxLength: 16 });

/** What a build must show: each result that was sent, once per source, and no failure that turns green. */
function expectedOf(jobs: readonly Omit<Job, 'machineId'>[]) {
  const counts: Record<string, { overall: number; failures: number }> = {};
  for (const { group, tests } of jobs)
    for (const outcome of Object.values(tests)) {
      const own = counts[group] ?? { overall: 0, failures: 0 };
      counts[group] = { overall: own.overall + 1, failures: own.failures + (outcome === 'failed' ? 1 : 0) };
    }
  const hasFailed = Object.values(counts).some(({ failures }) => failures > 0);
  return { state: 'COMPLETE', status: hasFailed ? 'FAILED' : 'PASSED', counts };
}

/** The next request of a job: start, one report, or end. Returns false if the job is over. */
function stepsOf(job: RunningJob): () => Promise<boolean> {
  let stage: 'new' | 'begun' | 'over' = 'new';
  return async () => {
    if (stage === 'over') return false;
    if (stage === 'new') {
      await job.start();
      stage = 'begun';
    } else if (!(await job.report())) {
      await job.end();
      stage = 'over';
    }
    return true;
  };
}

let builds = 0;

describe('Random builds of several jobs', () => {
  test('No result of a build hides another, whatever its jobs, their ways of recording and their order', async () => {
    const stage = await service();
    await fc.assert(
      fc.asyncProperty(fc.array(anyJob, { minLength: 1, maxLength: 4 }), anySchedule, async (jobs, schedule) => {
        builds += 1;
        const ciBuildId = `property-${builds}`;
        const steps = jobs.map(({ way, ...job }, index) =>
          stepsOf(WAYS[way](stage, ciBuildId, { ...job, machineId: `machine-${index}` })),
        );
        for (const chosen of schedule) {
          const step = steps[chosen];
          if (step) await step();
          else {
            clock.advance(2 * MINUTE);
            await stage.runSchedule('timeOutRuns');
          }
        }
        for (const step of steps) while (await step());
        clock.advance(2 * MINUTE);
        await stage.runSchedule('timeOutRuns');
        const { runId } = await read(stage.api, `/runs/find?projectId=${stage.projectId}&ciBuildId=${ciBuildId}`);
        const { completionState: state, status, groups } = await read(stage.api, `/runs/${runId}`);
        const counts = Object.fromEntries(
          groups.map(({ groupId, tests }: { groupId: string; tests: { overall: number; failures: number } }) => [
            groupId,
            { overall: tests.overall, failures: tests.failures },
          ]),
        );
        const expected = expectedOf(jobs);
        expect({ state, status, counts }).toEqual(expected);
        // Receivers of events end with the same counters.
        const told: Record<string, object> = {};
        for (const { group, payload } of await eventsOfRun(stage, runId))
          if (payload.event === 'RUN_FINISH') told[group] = { overall: payload.overall, failures: payload.failures };
        expect(told).toEqual(expected.counts);
      }),
      { numRuns: cases(100, 12) },
    );
  });
});
