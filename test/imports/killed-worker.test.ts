import { beforeEach, describe, expect, test, vi } from 'vitest';
import { remove } from '#shared/engine/table/writes.ts';
import { IMPORT_LIMITS } from '#shared/imports/limits.ts';
import { REPORT_CAPS, recordReports } from '#shared/imports/record-report.ts';
import { callSlots } from '#shared/model/call-slots.ts';
import { getImportKey } from '#shared/model/runs/import.ts';
import type { Services } from '#shared/services.ts';
import { objectsOf } from '#test/harness/bucket.ts';
import { inFreeSlot } from '#test/harness/fair-shares.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { queueOf } from '#test/harness/queues.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service, type Tenant } from '#test/harness/service.ts';
import { linked, manyTests } from './reports.ts';

/** Uses the real clock, because the object store checks presigned URLs against the real time. */
beforeEach(() => {
  vi.useRealTimers();
});

/**
 * Removes the lease of a killed worker. On AWS, the lease has already expired by the time the queue delivers the
 * message again.
 */
const forgetLease = ({ table }: Services, { organizationId }: Pick<Tenant, 'organizationId'>) =>
  table.writeMany([remove(callSlots, { work: 'reports', organizationId, hookId: null })]);

/** The number of writes after which a worker is killed: enough for one step, but not for the whole import. */
const WRITES = 130;
const STEP = IMPORT_LIMITS.testsPerStep;
const MOST_WORKERS = 12;

describe('A worker that is killed', () => {
  test('The next worker completes the import of a killed worker, and duplicates nothing', async () => {
    const { services, environment, ...tenant } = await service();
    const queue = queueOf(environment, 'recordReport');
    // The queue holds the message back, because the test delivers it itself.
    await queue.delay(900);
    const report = Uint8Array.from(Buffer.from(manyTests({ specs: 8, tests: 200 })));
    const { importId } = await linked(tenant, report, 'ciBuildId=b1');
    const key = getImportKey({ organizationId: tenant.organizationId, importId });
    const message = { Records: [{ s3: { object: { key } } }], rounds: 0 };
    const seen: number[] = [];
    // Each worker is killed after more writes than the previous one, until a worker stores the first of the two steps
    // of the import.
    for (let writes = 1; seen.at(-1) !== STEP; writes += 11) {
      await forgetLease(services, tenant);
      const worker = inFreeSlot(dyingAfter(services, writes), REPORT_CAPS);
      await expect(recordReports(worker, message)).rejects.toThrow('The process has died');
      seen.push((await read(tenant.api, `/imports/${importId}`)).progress.tests.recorded);
    }
    expect(seen.slice(0, -1).every((recorded) => recorded === 0)).toBe(true);
    await forgetLease(services, tenant);
    await queue.delay(0);
    await queue.send(JSON.stringify(message));
    await expect.poll(async () => (await read(tenant.api, `/imports/${importId}`)).state).toBe('recorded');
    const { runId, progress } = await read(tenant.api, `/imports/${importId}`);
    expect(progress.tests).toEqual({ recorded: 1600, overall: 1600 });
    expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({
      completionState: 'COMPLETE',
      groups: [{ tests: { overall: 1600, passes: 1592, failures: 8 } }],
    });
    await expect.poll(() => objectsOf({ environment, ...tenant })).toEqual([]);
    expect(await recordReports(inFreeSlot(services, REPORT_CAPS), message)).toEqual([]);
  });

  test('Several workers in turn complete an import, even if each worker is killed after the same number of writes', async () => {
    const { services, environment, ...tenant } = await service();
    await queueOf(environment, 'recordReport').delay(900);
    const { importId } = await linked(tenant, Uint8Array.from(Buffer.from(manyTests({ specs: 32, tests: 100 }))), '');
    const message = { Records: [{ s3: { object: { key: getImportKey({ ...tenant, importId }) } } }], rounds: 0 };
    const seen: number[] = [];
    for (let left = MOST_WORKERS; left > 0; left -= 1) {
      await forgetLease(services, tenant);
      const worker = inFreeSlot(dyingAfter(services, WRITES), REPORT_CAPS);
      const ended = await recordReports(worker, message).then(Boolean, () => false);
      const { state, progress } = await read(tenant.api, `/imports/${importId}`);
      expect(progress.tests.recorded).toBeGreaterThan(seen.at(-1) ?? 0);
      seen.push(progress.tests.recorded);
      if (ended) expect(state).toBe('recorded');
      if (ended) break;
    }
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.at(-1)).toBe(3200);
  });
});
