/**
 * What people run as one build: shards, matrices, jobs, packages, modules and configurations, in each way of recording
 * and in each order. Whatever the order, no result hides another and nothing is refused.
 */
import { describe, expect, test } from 'vitest';
import { sampled } from '#test/harness/cases.ts';
import { eventsOfRun } from '#test/harness/events.ts';
import { type Job, type RunningJob, WAYS, type WayName } from '#test/harness/jobs.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';

const MINUTE = 60_000;
const SUMS = 'cart.spec.ts > sums';
const ROUNDS = 'cart.spec.ts > rounds';
const PAYS = 'pay.spec.ts > pays';

const job = (machineId: string, tests: Job['tests'], group = 'default'): Job => ({ machineId, group, tests });

/** The jobs of one build. The jobs of a matrix, of two modules or of two configurations report the same tests. */
const TOPOLOGIES: Readonly<Record<string, readonly Job[]>> = {
  'two shards of a spec file': [job('s1', { [SUMS]: 'passed' }), job('s2', { [ROUNDS]: 'failed' })],
  'a matrix of two systems': [
    job('linux', { [SUMS]: 'failed', [ROUNDS]: 'passed' }),
    job('windows', { [SUMS]: 'passed', [ROUNDS]: 'passed' }),
  ],
  'a matrix of three Node versions': [
    job('node-20', { [SUMS]: 'passed' }),
    job('node-22', { [SUMS]: 'failed' }),
    job('node-24', { [SUMS]: 'passed' }),
  ],
  'the jobs unit and e2e': [job('unit', { [SUMS]: 'passed' }), job('e2e', { [PAYS]: 'failed' })],
  'two packages in groups of their own': [
    job('api', { [SUMS]: 'failed' }, 'api'),
    job('web', { [SUMS]: 'passed' }, 'web'),
  ],
  'two modules with a class of the same name': [
    job('module-a', { [SUMS]: 'failed', [PAYS]: 'passed' }),
    job('module-b', { [SUMS]: 'passed', [PAYS]: 'failed' }),
  ],
  'two configurations of Playwright with equal names': [
    job('config-a', { [SUMS]: 'passed', [ROUNDS]: 'failed' }, 'chromium'),
    job('config-b', { [SUMS]: 'failed', [ROUNDS]: 'passed' }, 'chromium'),
  ],
  'a retried job': [job('try-1', { [SUMS]: 'failed', [ROUNDS]: 'passed' }), job('try-2', { [SUMS]: 'passed' })],
  'a matrix that passes': [job('linux', { [SUMS]: 'passed' }), job('windows', { [SUMS]: 'passed' })],
};

const permutations = <Item>(items: readonly Item[]): Item[][] =>
  items.length <= 1
    ? [[...items]]
    : items.flatMap((first, index) =>
        permutations(items.filter((_, other) => other !== index)).map((rest) => [first, ...rest]),
      );

type Schedule = (jobs: readonly RunningJob[]) => Promise<void>;

const SCHEDULES: Readonly<Record<string, Schedule>> = {
  'one after the other': async (jobs) => {
    for (const one of jobs) {
      await one.start();
      while (await one.report());
      await one.end();
      clock.advance(MINUTE);
    }
  },
  'all at the same time': async (jobs) => {
    for (const one of jobs) await one.start();
    let open = [...jobs];
    while (open.length > 0) {
      const left: RunningJob[] = [];
      for (const one of open) if (await one.report()) left.push(one);
      open = left;
    }
    for (const one of jobs) await one.end();
  },
};

describe.each(Object.keys(WAYS) as WayName[])('%s', (way) => {
  test.each(Object.entries(TOPOLOGIES))('shows every result of %s, in every order', async (name, jobs) => {
    const tenant = await service();
    const results = jobs.flatMap(({ tests }) => Object.values(tests));
    const failures = results.filter((outcome) => outcome === 'failed').length;
    const row = Object.keys(TOPOLOGIES).indexOf(name) + Object.keys(WAYS).indexOf(way);
    for (const [index, [schedule, run]] of Object.entries(SCHEDULES).entries()) {
      for (const order of sampled(permutations(jobs), 2, row + index)) {
        const names = order.map(({ machineId }) => machineId).join('-');
        const ciBuildId = `${way}-${name}-${schedule}-${names}`.replaceAll(' ', '-');
        await run(order.map((one) => WAYS[way](tenant, ciBuildId, one)));
        // A run that the published reporter reopened ends after it has been silent.
        clock.advance(2 * MINUTE);
        await tenant.runSchedule('timeOutRuns');
        const { runId } = await read(tenant.api, `/runs/find?projectId=${tenant.projectId}&ciBuildId=${ciBuildId}`);
        const found = await read(tenant.api, `/runs/${runId}`);
        const counts = found.groups.map(
          ({
            groupId,
            tests: { overall, failures: failing },
          }: {
            groupId: string;
            tests: { overall: number; failures: number };
          }) => ({ groupId, overall, failures: failing }),
        );
        const total = (of: 'overall' | 'failures') =>
          counts.reduce((sum: number, one: Record<string, number>) => sum + (one[of] ?? 0), 0);
        const last = new Map(
          (await eventsOfRun(tenant, runId))
            .filter(({ payload }) => payload.event === 'RUN_FINISH')
            .map(({ group, payload }) => [
              group,
              { groupId: group, overall: payload.overall, failures: payload.failures },
            ]),
        );
        expect({
          order: names,
          schedule,
          state: found.completionState,
          status: found.status,
          results: total('overall'),
          failures: total('failures'),
          announced: counts.map(({ groupId }: { groupId: string }) => last.get(groupId)),
        }).toEqual({
          order: names,
          schedule,
          state: 'COMPLETE',
          status: failures > 0 ? 'FAILED' : 'PASSED',
          results: results.length,
          failures,
          announced: counts,
        });
      }
    }
  });
});

/** A job of a workflow, with the tests that it executes in each attempt. It runs on another machine each time. */
interface RetriedJob {
  readonly name: string;
  readonly attempts: readonly (Job['tests'] | undefined)[];
}

const retried = (name: string, ...attempts: RetriedJob['attempts']): RetriedJob => ({ name, attempts });

/** Workflows whose jobs are run again, and how many failures then count. */
const RETRIED: Readonly<Record<string, { readonly jobs: readonly RetriedJob[]; readonly failures: number }>> = {
  'A failed job that is run again': {
    jobs: [retried('unit', { [SUMS]: 'failed', [ROUNDS]: 'passed' }, { [SUMS]: 'passed', [ROUNDS]: 'passed' })],
    failures: 0,
  },
  'A failed job beside a passed one that is not run again': {
    jobs: [retried('unit', { [SUMS]: 'failed' }, { [SUMS]: 'passed' }), retried('e2e', { [PAYS]: 'passed' })],
    failures: 0,
  },
  'A passed job that is run again beside a failed one that is not': {
    jobs: [retried('unit', { [SUMS]: 'failed' }), retried('e2e', { [PAYS]: 'passed' }, { [PAYS]: 'passed' })],
    failures: 1,
  },
  'One of two failed jobs of a matrix': {
    jobs: [retried('e2e', { [SUMS]: 'failed' }, { [SUMS]: 'passed' }), retried('e2e', { [SUMS]: 'failed' })],
    failures: 1,
  },
  'Both failed jobs of a matrix': {
    jobs: [
      retried('e2e', { [SUMS]: 'failed' }, { [SUMS]: 'passed' }),
      retried('e2e', { [SUMS]: 'failed' }, { [SUMS]: 'passed' }),
    ],
    failures: 0,
  },
  'A job that fails otherwise when it is run again': {
    jobs: [retried('unit', { [SUMS]: 'failed', [ROUNDS]: 'passed' }, { [SUMS]: 'passed', [ROUNDS]: 'failed' })],
    failures: 1,
  },
  'A job that passes only at its third attempt': {
    jobs: [retried('unit', { [SUMS]: 'failed' }, { [SUMS]: 'failed' }, { [SUMS]: 'passed' })],
    failures: 0,
  },
};

let workflows = 0;

describe.each(Object.keys(WAYS) as WayName[])('%s, run again on another runner', (way) => {
  test.each(Object.entries(RETRIED))(
    '%s is judged by the newest execution of each test',
    async (_, { jobs, failures }) => {
      const tenant = await service();
      for (const order of sampled(permutations(jobs.map((one, index) => ({ ...one, index }))), 2)) {
        workflows += 1;
        const runId = String(workflows);
        let newest = '';
        for (const attempt of [1, 2, 3]) {
          for (const { name, attempts, index } of order) {
            const tests = attempts[attempt - 1];
            if (!tests) continue;
            newest = `${way}-${runId}-${attempt}`.replaceAll(' ', '-');
            const machineId = `machine-${index}-${attempt}`;
            const one = WAYS[way](tenant, newest, { ...job(machineId, tests), ci: { job: name, runId, attempt } });
            await one.start();
            while (await one.report());
            await one.end();
            clock.advance(2 * MINUTE);
            await tenant.runSchedule('timeOutRuns');
          }
        }
        const { runId: newestRunId } = await read(
          tenant.api,
          `/runs/find?projectId=${tenant.projectId}&ciBuildId=${newest}`,
        );
        const { build } = await read(tenant.api, `/runs/${newestRunId}`);
        expect({ status: build?.status, failures: build?.tests.failures }).toEqual({
          status: failures > 0 ? 'FAILED' : 'PASSED',
          failures,
        });
      }
    },
  );
});
