import { expect, test } from 'vitest';
import { type JoinRequest, joinRun } from '#shared/recording/join-run.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import { CreateRunBody } from '#shared/recording/published/run-wire.ts';
import { toRunRequest } from '#shared/recording/published/translate-run.ts';
import { readProgress } from '#shared/results/runs/live-counters.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { runBody, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';
import { itemsOf } from '#test/harness/table-rows.ts';

const MACHINES = 30;
const SPECS = 20;
const SUITE = [
  suiteGroup(
    'retail',
    Array.from({ length: SPECS * 3 }, (_, index) => `file-${index % SPECS}.spec.ts > test ${index}`),
  ),
];

const request = ({ organizationId, projectId }: Tenant, machine: string, suite = SUITE): JoinRequest => ({
  ...toRunRequest(CreateRunBody.parse(runBody(projectId, suite, { machineId: machine })), {
    organizationId,
    framework: { type: 'pw', version: null, clientVersion: null },
  }),
  requestKeys: [machine],
});

type Stage = Awaited<ReturnType<typeof service>>;

const locksOf = ({ environment }: Stage, runId: string) =>
  itemsOf(environment, ({ pk }) => `${pk}`.startsWith('START#') && `${pk}`.endsWith(runId));

test('If several machines start a run at the same time with the same suite, each spec file is stored only once', async () => {
  const tenant = await service();
  const table = tenant.services.table.metered();
  const machines = Array.from({ length: MACHINES }, (_, index) => `machine-${index}`);
  const services = { ...tenant.services, table };
  const answers = await Promise.all(machines.map((machine) => joinRun(services, request(tenant, machine))));
  const [runId = ''] = new Set(answers.map(({ run }) => run.runId));
  expect(answers.filter(({ isNewRun }) => isNewRun)).toHaveLength(1);
  const { groups } = await read(tenant.api, `/runs/${runId}`);
  expect(groups).toMatchObject([{ specCount: SPECS, tests: { tests: SPECS * 3 } }]);
  // The maximum number of write units: two per spec file, three per machine for its lock and for joining the run, and
  // 30 for the start of the run. Chance decides how often a machine finds the lock taken: 87 to 116 units in 30
  // repetitions on a busy machine, with a standard deviation of 9.
  expect(table.meter.writeUnits).toBeLessThanOrEqual(2 * SPECS + 3 * MACHINES + 30);
  expect(await locksOf(tenant, runId)).toEqual([]);
});

test('If a process dies while it stores the suite for one machine, another machine stores the suite after ten seconds', async () => {
  const tenant = await service();
  const killed = joinRun(dyingAfter(tenant.services, 3), request(tenant, 'killed'));
  await expect(killed).rejects.toThrow('The process has died');
  const table = tenant.services.table.metered();
  const other = joinRun({ ...tenant.services, table }, request(tenant, 'other'));
  await expect.poll(() => table.meter.trips).toBeGreaterThan(5);
  expect(table.meter.writeUnits).toBe(0);
  clock.advance(RECORDING_LIMITS.startLockMilliseconds + 1000);
  const { runId } = (await other).run;
  expect((await read(tenant.api, `/runs/${runId}`)).groups).toMatchObject([{ specCount: SPECS }]);
  expect(await locksOf(tenant, runId)).toEqual([]);
});

test('A repeated request to start a run does not wait for the lock that its interrupted first attempt left behind', async () => {
  const tenant = await service();
  const killed = joinRun(dyingAfter(tenant.services, 3), request(tenant, 'machine'));
  await expect(killed).rejects.toThrow('The process has died');
  const table = tenant.services.table.metered();
  const { run: startedRun, isNewRun } = await joinRun({ ...tenant.services, table }, request(tenant, 'machine'));
  expect(isNewRun).toBe(true);
  expect((await readProgress(tenant.services, startedRun)).specFiles.total).toBe(SPECS);
});

test('A machine whose suite is refused leaves no lock on the run', async () => {
  const tenant = await service();
  const suiteFrom = (first: number) => [
    suiteGroup(
      'retail',
      Array.from({ length: 6000 }, (_, index) => `cart.spec.ts > test ${first + index}`),
    ),
  ];
  const first = await joinRun(tenant.services, request(tenant, 'first', suiteFrom(0)));
  const refused = joinRun(tenant.services, request(tenant, 'second', suiteFrom(6000)));
  await expect(refused).rejects.toThrow('at most 10000 tests');
  expect(await locksOf(tenant, first.run.runId)).toEqual([]);
});
