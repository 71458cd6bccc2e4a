import { describe, expect, test } from 'vitest';
import { type JoinRequest, joinRun } from '#shared/recording/join-run.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import { CreateRunBody } from '#shared/recording/published/run-wire.ts';
import { toRunRequest } from '#shared/recording/published/translate-run.ts';
import { readProgress } from '#shared/results/runs/live-counters.ts';
import { collidingWith, dyingAfter, interruptedAt } from '#test/harness/interrupted-table.ts';
import { startRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { passed, runBody, type SuiteGroup, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';

const RETAIL = suiteGroup('retail', ['cart.spec.ts > sums']);
const WHOLESALE = suiteGroup('wholesale', ['cart.spec.ts > sums', 'price.spec.ts > nets']);
const INSTANCES = [
  batchInstance('retail', 'cart.spec.ts', { 'cart.spec.ts > sums': passed() }),
  batchInstance('wholesale', 'cart.spec.ts', { 'cart.spec.ts > sums': passed() }),
  batchInstance('wholesale', 'price.spec.ts', { 'price.spec.ts > nets': passed() }),
];

const request = ({ organizationId, projectId }: Tenant, suite: readonly SuiteGroup[], more: object): JoinRequest => ({
  ...toRunRequest(CreateRunBody.parse(runBody(projectId, suite, more)), {
    organizationId,
    framework: { type: 'pw', version: null, clientVersion: null },
  }),
  requestKeys: [crypto.randomUUID()],
});

describe('The start of a run', () => {
  test('creates a run with all expected tests even if it is interrupted after any write and then repeated', async () => {
    const tenant = await service();
    for (let writes = 0; ; writes += 1) {
      const ciBuildId = `dead after ${writes}`;
      const start = joinRun(dyingAfter(tenant.services, writes), request(tenant, [RETAIL, WHOLESALE], { ciBuildId }));
      const death = await start.then(
        () => undefined,
        (error) => String(error),
      );
      clock.advance(RECORDING_LIMITS.startLockMilliseconds + 1000);
      const { runId } = await startRun(tenant, [RETAIL, WHOLESALE], { ciBuildId });
      await upload(tenant, [], INSTANCES, { ciBuildId });
      const run = await read(tenant.api, `/runs/${runId}`);
      expect(run, ciBuildId).toMatchObject({
        completionState: 'COMPLETE',
        groups: [{ specCount: 1 }, { specCount: 2 }],
      });
      if (death === undefined) return expect(writes).toBeGreaterThan(5);
      expect(death).toContain('The process has died');
    }
  });

  test('succeeds even if its first transactions conflict with transactions of other machines', async () => {
    const tenant = await service();
    const more = { ciBuildId: 'collided' };
    const joinedRun = await joinRun(collidingWith(tenant.services, 2), request(tenant, [RETAIL, WHOLESALE], more));
    expect(await read(tenant.api, `/runs/${joinedRun.run.runId}`)).toMatchObject({
      completionState: 'IN_PROGRESS',
      groups: [{ specCount: 1 }, { specCount: 2 }],
    });
  });

  test('keeps the tests that another machine adds between any two table requests of the start', async () => {
    const tenant = await service();
    for (let call = 0; ; call += 1) {
      const more = { ciBuildId: `overtaken at ${call}` };
      const other = () => joinRun(tenant.services, request(tenant, [WHOLESALE], more));
      const { services, happened } = interruptedAt(tenant.services, call, other);
      const joinedRun = await joinRun({ ...tenant.services, ...services }, request(tenant, [RETAIL], more));
      if (!happened()) return expect(call).toBeGreaterThan(5);
      const { specFiles, tests } = await readProgress(tenant.services, joinedRun.run);
      expect({ specFiles, tests }, more.ciBuildId).toMatchObject({ specFiles: { total: 3 }, tests: { tests: 3 } });
    }
  });
});
