import { expect, test } from 'vitest';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import { StartRecordingBody } from '#shared/recording/own/recording-wire.ts';
import { startRecording } from '#shared/recording/own/start-recording.ts';
import { readProgress } from '#shared/results/runs/live-counters.ts';
import type { Services } from '#shared/services.ts';
import { IS_DEEP } from '#test/harness/cases.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { dataOf, liveGroup, liveInstances, sendBatch, sendEnd, startBody } from '#test/harness/live-recording.ts';
import { passed, type TestName } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';

type Stage = Awaited<ReturnType<typeof service>>;

interface Shard {
  readonly machineId: string;
  readonly group: string;
  readonly tests: readonly TestName[];
}

/** Shards with a spec file of two tests each. Every third one is of another group. */
const makeShards = (count: number): Shard[] =>
  Array.from({ length: count }, (_, index) => ({
    machineId: `shard-${index}`,
    group: index % 3 === 2 ? 'wholesale' : 'retail',
    tests: [`file-${index}.spec.ts > sums`, `file-${index}.spec.ts > refuses`],
  }));

const start = ({ services, organizationId, projectId }: Stage, shard: Shard, ciBuildId: string, on = services) => {
  const { machineId, group, tests } = shard;
  const body = StartRecordingBody.parse(startBody([liveGroup(group, tests)], { machineId, ciBuildId }));
  return startRecording(on, { organizationId, projectId, body });
};

async function report(tenant: Stage, runId: string, { machineId, group, tests }: Shard, machines: number) {
  const results = Object.fromEntries(tests.map((name) => [name, passed()]));
  await dataOf(sendBatch(tenant, runId, { machineId, sequence: 0, instances: liveInstances(group, results) }));
  await dataOf(sendEnd(tenant, runId, { machineId, batches: 1, machines }));
}

const countExpected = async ({ services, organizationId }: Stage, runId: string) => {
  const { specFiles, tests } = await readProgress(services, { organizationId, runId });
  return { files: specFiles.total, tests: tests.tests };
};

test('The start of a shard reads no more after thirty shards with other spec files than after three', async () => {
  const tenant = await service();
  const costs: number[] = [];
  let runId = '';
  for (const shard of makeShards(30)) {
    const table = tenant.services.table.metered();
    ({ runId } = await start(tenant, shard, 'costs', { ...tenant.services, table }));
    costs.push(table.meter.readUnits);
  }
  expect(costs[29]).toBeLessThanOrEqual(costs[3] ?? 0);
  expect(await countExpected(tenant, runId)).toEqual({ files: 30, tests: 60 });
});

test('Shards that start at the same moment, each twice, are all expected once, and their run ends with the last of them', async () => {
  const tenant = await service();
  const shards = makeShards(12);
  const answers = await Promise.all([...shards, ...shards].map((shard) => start(tenant, shard, 'together')));
  const [runId = '', ...otherIds] = new Set(answers.map((answer) => answer.runId));
  expect(otherIds).toEqual([]);
  expect(answers.filter(({ isNewRun }) => isNewRun).length).toBeGreaterThan(0);
  expect(await countExpected(tenant, runId)).toEqual({ files: 12, tests: 24 });
  for (const [index, shard] of shards.entries()) {
    expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({ completionState: 'IN_PROGRESS' });
    await report(tenant, runId, shard, index % 2 === 0 ? shards.length : 1);
  }
  expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({
    completionState: 'COMPLETE',
    groups: [{ tests: { passes: 16 } }, { tests: { passes: 8 } }],
  });
});

/** The number of machines that the shards say that their build has. Without it, each machine that started must end. */
test.each(IS_DEEP ? [2, 1] : [1])(
  'A shard whose start is interrupted after any write, and repeated once the other shard has ended, loses no result and counts once (%i machines known)',
  async (machines) => {
    const tenant = await service();
    const first: Shard = { machineId: 'first', group: 'retail', tests: ['cart.spec.ts > sums', 'cart.spec.ts > nets'] };
    // One test is of the spec file of the first shard, and one is in both suites.
    const tests = ['cart.spec.ts > nets', 'cart.spec.ts > refuses', 'tax.spec.ts > rounds'] as const;
    const second: Shard = { machineId: 'second', group: 'retail', tests };
    for (let writes = 0; ; writes += 1) {
      const ciBuildId = `dead after ${writes}`;
      const { runId } = await start(tenant, first, ciBuildId);
      const mortal: Services = dyingAfter(tenant.services, writes);
      const death = await start(tenant, second, ciBuildId, mortal).then(
        () => undefined,
        (error) => String(error),
      );
      await report(tenant, runId, first, machines);
      clock.advance(RECORDING_LIMITS.startLockMilliseconds + 1000);
      await start(tenant, second, ciBuildId);
      const expected = await countExpected(tenant, runId);
      await report(tenant, runId, { ...second, tests: tests.slice(1) }, machines);
      const run = await read(tenant.api, `/runs/${runId}`);
      expect({ expected, run }, ciBuildId).toMatchObject({
        expected: { files: 2, tests: 4 },
        run: { completionState: 'COMPLETE', groups: [{ specCount: 2, tests: { overall: 4, passes: 4 } }] },
      });
      if (death === undefined) return expect(writes).toBeGreaterThan(5);
      expect(death).toContain('The process has died');
    }
  },
);
