/** §6 Tests that long-running work waits in its queue while the organization uses all of its concurrency slots. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { handler as confirmArtifact } from '#functions/queues/confirm-artifact.ts';
import { handler as recordReport } from '#functions/queues/record-report.ts';
import { CallSlots, type Caps } from '#shared/fair-shares/call-slots.ts';
import { REPORT_CAPS } from '#shared/imports/record-report.ts';
import { TRACE_CAPS } from '#shared/recording/confirm-artifact.ts';
import { queueOf } from '#test/harness/queues.ts';
import { recordRun } from '#test/harness/recording.ts';
import { failed, testIdOf } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { logLines, service } from '#test/harness/service.ts';
import { linked, manyTests } from '#test/imports/reports.ts';

const TEST = 'cart.spec.ts > sums';
const TRACE_FILE = join(import.meta.dirname, '../samples/traces/trace.zip');

type Tenant = Awaited<ReturnType<typeof service>>;

/** The object store checks the expiry of links against the real time. */
beforeEach(() => {
  vi.useRealTimers();
});

/** Occupies all slots of the organization until the returned function is called. */
async function allSlotsOf({ services, organizationId }: Tenant, caps: Caps): Promise<() => Promise<void>> {
  const ends: (() => void)[] = [];
  const calls = Array.from({ length: caps.callsPerOrganization }, () => {
    const act = () =>
      new Promise<object>((resolve) => {
        ends.push(() => resolve({}));
      });
    return new CallSlots(caps).withSlot(services, { organizationId }, act);
  });
  const end = async () => {
    for (const one of ends) one();
    await Promise.all(calls);
  };
  onTestFinished(end);
  await expect.poll(() => ends.length).toBe(caps.callsPerOrganization);
  return end;
}

const deferred = (tenant: Tenant) => () =>
  logLines.filter((line) => line.includes(tenant.organizationId) && line.includes('"outcome":"deferred"')).length;

async function uploadedTrace(tenant: Tenant) {
  const { records, instances } = await recordRun(tenant, { retail: { tests: { [TEST]: failed() } } });
  const instanceId = instances['retail cart.spec.ts'] ?? '';
  const file = { artifactId: crypto.randomUUID(), type: 'trace', name: 'trace', contentType: 'application/zip' };
  const path = `@/artifacts/test-record/${records[`retail ${TEST}`]}`;
  const { uploadUrl } = (await tenant.api.post(path, { ...file, attemptId: 1 })).body;
  const body = new Uint8Array(await readFile(TRACE_FILE));
  await fetch(uploadUrl, { method: 'PUT', body, headers: { 'content-type': file.contentType } });
  const context = `/context?instance_id=${instanceId}&test_id=${testIdOf('retail', TEST)}&attempt=1`;
  return {
    analysis: async () => (await tenant.api.get(context)).body.data.traceErrorAnalysis,
    size: async () => {
      const { body } = await tenant.api.get(`/instances/${instanceId}`);
      return JSON.stringify(body.data).includes(`"bytes":${(await readFile(TRACE_FILE)).length}`);
    },
  };
}

async function uploadedReport(tenant: Tenant) {
  const report = Uint8Array.from(Buffer.from(manyTests({ specs: 1, tests: 3 })));
  const { importId } = await linked(tenant, report, `ciBuildId=${crypto.randomUUID()}`);
  return async () => (await read(tenant.api, `/imports/${importId}`)).state;
}

describe('An organization that holds all its slots', () => {
  test('If an organization reaches its concurrency limit, no trace is lost: the trace file is shown, the analysis of the trace waits, and other organizations are not delayed', async () => {
    const busy = await service();
    const other = await service();
    const release = await allSlotsOf(busy, TRACE_CAPS);
    const waiting = await uploadedTrace(busy);
    await expect.poll(deferred(busy)).toBeGreaterThan(0);
    expect(await waiting.size()).toBe(true);
    expect(await waiting.analysis()).toBeNull();
    const { analysis } = await uploadedTrace(other);
    await expect.poll(analysis).not.toBeNull();
    await release();
    await expect.poll(waiting.analysis).not.toBeNull();
    expect(await queueOf(busy.environment, 'confirmArtifact').deadLetters()).toBe(0);
  });

  test('If an organization reaches its concurrency limit, no report is lost, and reports of other organizations are recorded', async () => {
    const busy = await service();
    const other = await service();
    const release = await allSlotsOf(busy, REPORT_CAPS);
    const waiting = await uploadedReport(busy);
    await expect.poll(deferred(busy)).toBeGreaterThan(0);
    expect(await waiting()).toBe('waiting');
    await expect.poll(await uploadedReport(other)).toBe('recorded');
    await release();
    await expect.poll(waiting).toBe('recorded');
    expect(await queueOf(busy.environment, 'recordReport').deadLetters()).toBe(0);
  });
});

test('The lease of a concurrency slot is longer than the time limit of the function that uses the slot', () => {
  const limits = [
    [TRACE_CAPS, confirmArtifact],
    [REPORT_CAPS, recordReport],
  ] as const;
  for (const [{ leaseMilliseconds }, { consumer }] of limits)
    expect(leaseMilliseconds).toBeGreaterThan(1000 * consumer.timeoutSeconds);
});
