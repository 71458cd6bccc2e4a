/**
 * Random builds of several jobs, whose requests are repeated and interrupted, and whose jobs are run again, against an
 * oracle that knows only which results were sent.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '#test/harness/cases.ts';
import type { Answer, Client } from '#test/harness/client.ts';
import { eventsOfRun } from '#test/harness/events.ts';
import { type Job, type Outcome, type RunningJob, WAYS, type WayName } from '#test/harness/jobs.ts';
import { read } from '#test/harness/recording-readback.ts';
import { beforeTableCalls, clock, service, type Tenant, type TestService, watchTable } from '#test/harness/service.ts';

watchTable();

const MINUTE = 60_000;
const TESTS = ['cart.spec.ts > sums', 'cart.spec.ts > rounds', 'pay.spec.ts > pays'];
type Stage = TestService & Tenant;

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
/** A job of a workflow, whose later tries execute some of its tests again. */
const anyRepeatedJob = fc.record({
  way: fc.constantFrom<WayName>('own reporter', 'published reporter', 'import', 'command line'),
  group: fc.constantFrom('default', 'linux'),
  tries: fc.array(anyTests, { minLength: 1, maxLength: 3 }),
});
/** Which job acts next, or the end of a quiet time in which the run may end. */
const anySchedule = fc.array(fc.nat({ max: 4 }), { maxLength: 16 });

/** What happens to a request: it is sent once or twice, or its function is killed after so many writes and it is sent again. */
type Fate = 'once' | 'twice' | { readonly writes: number };
const anyFates = fc.array(
  fc.oneof(
    fc.constantFrom<Fate>('once', 'once', 'twice'),
    fc.nat({ max: 8 }).map((writes): Fate => ({ writes })),
  ),
  { maxLength: 16 },
);

const WRITE = /^(PutItem|UpdateItem|BatchWriteItem|TransactWriteItems)$/;

/** Sends a request whose function is killed after its first writes. Whatever it answers is lost. */
async function sendAndKill(writes: number, send: () => Promise<Answer>): Promise<void> {
  let left = writes;
  await beforeTableCalls(({ operation }) => {
    if (left === 0) throw new Error('The function was killed');
    if (WRITE.test(operation)) left -= 1;
  }, send);
}

/** A client of an unreliable network. The fate of each next request is the next of the list. */
function unreliable({ api }: Stage, fates: readonly Fate[]): Pick<Client, 'post' | 'send'> {
  const left = [...fates];
  const withFate = async (send: () => Promise<Answer>): Promise<Answer> => {
    const fate = left.shift() ?? 'once';
    if (fate === 'twice') await send();
    else if (fate !== 'once') await sendAndKill(fate.writes, send);
    return send();
  };
  return {
    post: (...args) => withFate(() => api.post(...args)),
    send: (...args) => withFate(() => api.send(...args)),
  };
}

interface Counts {
  readonly overall: number;
  readonly failures: number;
}

/** What a build must show: each result that was sent, once per source, and no failure that turns green. */
function expectedOf(jobs: readonly Omit<Job, 'machineId'>[]) {
  const counts: Record<string, Counts> = {};
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

type Step = () => Promise<boolean>;

/** Runs the jobs in the order of the schedule, and then each to its end. */
async function runAll(stage: Stage, steps: readonly Step[], schedule: readonly number[]): Promise<void> {
  for (const chosen of schedule) {
    const step = steps[chosen];
    if (step) await step();
    else await rest(stage);
  }
  for (const step of steps) while (await step());
  await rest(stage);
}

/** Lets so much time pass that a run ends that only waits. */
async function rest(stage: Stage): Promise<void> {
  clock.advance(2 * MINUTE);
  await stage.runSchedule('timeOutRuns');
}

const findRun = ({ api, projectId }: Stage, ciBuildId: string) =>
  read(api, `/runs/find?projectId=${projectId}&ciBuildId=${ciBuildId}`);

let builds = 0;
const nextBuild = (): number => {
  builds += 1;
  return builds;
};

describe('Random builds of several jobs', () => {
  test('No result of a build hides another, whatever its jobs, their ways of recording and their order, and whichever requests are repeated or interrupted', async () => {
    const stage = await service();
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyJob, { minLength: 1, maxLength: 4 }),
        anySchedule,
        anyFates,
        async (jobs, schedule, fates) => {
          const ciBuildId = `property-${nextBuild()}`;
          const client = { ...stage, api: { ...stage.api, ...unreliable(stage, fates) } };
          const steps = jobs.map(({ way, ...job }, index) =>
            stepsOf(WAYS[way](client, ciBuildId, { ...job, machineId: `machine-${index}` })),
          );
          await runAll(stage, steps, schedule);
          const { runId } = await findRun(stage, ciBuildId);
          const { completionState: state, status, groups } = await read(stage.api, `/runs/${runId}`);
          const counts = Object.fromEntries(
            groups.map(({ groupId, tests: { overall, failures } }: { groupId: string; tests: Counts }) => [
              groupId,
              { overall, failures },
            ]),
          );
          const expected = expectedOf(jobs);
          expect({ state, status, counts }).toEqual(expected);
          // Receivers of events end with the same counters.
          const told: Record<string, object> = {};
          for (const { group, payload } of await eventsOfRun(stage, runId))
            if (payload.event === 'RUN_FINISH') told[group] = { overall: payload.overall, failures: payload.failures };
          expect(told).toEqual(expected.counts);
        },
      ),
      { numRuns: cases(100, 12) },
    );
  });

  test('The jobs of a build that are run again turn it green only if the newest execution of each of their tests passed', async () => {
    const stage = await service();
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRepeatedJob, { minLength: 1, maxLength: 3 }),
        anySchedule,
        anyFates,
        async (jobs, schedule, fates) => {
          const workflow = String(nextBuild());
          const client = { ...stage, api: { ...stage.api, ...unreliable(stage, fates) } };
          const tries = Math.max(...jobs.map((job) => job.tries.length));
          let newest = '';
          for (let attempt = 1; attempt <= tries; attempt += 1) {
            newest = `retried-${workflow}-${attempt}`;
            const steps = jobs.flatMap(({ way, group, tries: all }, index) => {
              const tests = all[attempt - 1];
              if (!tests) return [];
              const job = `job-${index}`;
              const machineId = `machine-${index}-${attempt}`;
              const ci = { job, runId: workflow, attempt };
              return [stepsOf(WAYS[way](client, newest, { machineId, group, tests, ci }))];
            });
            await runAll(stage, steps, schedule);
          }
          const failing = jobs.flatMap(({ tries: all }) =>
            Object.entries(Object.assign({}, ...all)).filter(([, outcome]) => outcome === 'failed'),
          );
          const { runId } = await findRun(stage, newest);
          const { status, groups, build } = await read(stage.api, `/runs/${runId}`);
          const failures = groups.reduce((sum: number, { tests }: { tests: Counts }) => sum + tests.failures, 0);
          expect({ status: build?.status ?? status, failures: build?.tests.failures ?? failures }).toEqual({
            status: failing.length > 0 ? 'FAILED' : 'PASSED',
            failures: failing.length,
          });
        },
      ),
      { numRuns: cases(100, 8) },
    );
  });
});
