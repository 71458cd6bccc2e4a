/** One id leads from a request to everything that it causes. */
import { describe, expect, test, vi } from 'vitest';
import { connectDeliveryQueue } from '#shared/platform/connect.ts';
import { receiver } from '#test/harness/receiver.ts';
import { recordRun, startRun } from '#test/harness/recording.ts';
import { passed } from '#test/harness/recording-messages.ts';
import { clock, deliverEvents, logLines, service } from '#test/harness/service.ts';
import { junit } from '#test/imports/reports.ts';
import { SUITE } from '#test/recording/operations.ts';
import { jobOf, stage } from '#test/webhooks/stage.ts';

deliverEvents();

/** The logged lines with this id. */
const search = (id: string): Array<Record<string, unknown>> =>
  logLines.filter((line) => line.includes(JSON.stringify(id))).map((line) => JSON.parse(line));

const has = (values: Record<string, unknown>) => expect.arrayContaining([expect.objectContaining(values)]);

async function cancel({ api }: Awaited<ReturnType<typeof service>>, runId: string): Promise<string> {
  const { status, headers } = await api.put(`/runs/${runId}/cancel`);
  expect(status).toBe(200);
  return headers.get('x-request-id') ?? '';
}

describe('a correlation id', () => {
  test('A search for the id of the request that ends a run finds the request, the relay, the fan-out and the delivery of the run, and nothing of another run', async () => {
    const here = await stage();
    const { url, received } = await receiver();
    const { hookId } = await here.webhook({ url, hookEvents: ['RUN_CANCELED'] });
    const runIds: string[] = [];
    for (const ciBuildId of ['one', 'two']) runIds.push((await startRun(here, SUITE, { ciBuildId })).runId);
    const ids: string[] = [];
    for (const runId of runIds) ids.push(await cancel(here, runId));
    await expect.poll(() => received.length).toBe(2);
    for (const [index, id] of ids.entries()) {
      const runId = runIds[index];
      const isDelivered = () => search(id).some(({ delivered }) => delivered === 1);
      await expect.poll(isDelivered).toBe(true);
      const lines = search(id);
      expect(lines).toEqual(has({ message: 'request', requestId: id, statusCode: 200 }));
      expect(lines).toEqual(has({ message: 'record handled', correlationId: id, runId, event: 'RunEnded' }));
      const handled = { message: 'message handled', correlationId: id, runId };
      expect(lines).toEqual(has({ ...handled, consumer: 'fanOutRunEvent', receivers: 1 }));
      expect(lines).toEqual(has({ ...handled, consumer: 'deliverWebhook', hookId, delivered: 1 }));
      expect(JSON.stringify(lines)).not.toContain(runIds[1 - index]);
    }
    expect(new Set(ids).size).toBe(2);
  });

  test('The start and the end of a run that different requests caused have different ids', async () => {
    const here = await stage();
    const { url, received } = await receiver();
    await here.webhook({ url });
    const { runId } = await recordRun(here, { retail: { tests: { 'cart.spec.ts > cart > sums': passed() } } });
    await expect.poll(() => received.length).toBe(2);
    const idOf = (event: string) => {
      const lines = logLines.filter((line) => line.includes('record handled') && line.includes(runId));
      const [line = '{}'] = lines.filter((one) => one.includes(`"event":"${event}"`));
      return JSON.parse(line).correlationId;
    };
    expect(idOf('RunStarted')).toMatch(/.{8}/);
    expect(idOf('RunEnded')).toMatch(/.{8}/);
    expect(idOf('RunStarted')).not.toBe(idOf('RunEnded'));
  });

  test('A retry that waits in the queue has the id of the first attempt', async () => {
    const here = await stage();
    const answers = [500, 204];
    const { url, received } = await receiver((response) => response.writeHead(answers.shift() ?? 204).end());
    await here.webhook({ url, hookEvents: ['RUN_CANCELED'] });
    const { runId } = await startRun(here, SUITE);
    const id = await cancel(here, runId);
    const attempts = () => search(id).filter(({ consumer }) => consumer === 'deliverWebhook');
    await expect.poll(() => attempts().map(({ outcome }) => outcome)).toContain('failed');
    clock.advance(6000);
    await expect.poll(() => attempts().map(({ outcome }) => outcome)).toContain('delivered');
    expect(received).toHaveLength(2);
  });

  test('A retry that is due hours later has the id of the first attempt', async () => {
    const here = await stage();
    const answers = [503, 204];
    const { url } = await receiver((response) => response.writeHead(answers.shift() ?? 204).end());
    const delivery = await here.delivery(await here.webhook({ url }), { attemptsMade: 3, retry: 3 });
    const correlationId = `hours ${crypto.randomUUID()}`;
    await connectDeliveryQueue(here.environment)().send([{ message: { ...jobOf(delivery), correlationId } }]);
    await expect.poll(async () => (await here.due()).map((row) => row.correlationId)).toEqual([correlationId]);
    clock.set((await here.deliveryNow(delivery)).nextAttemptAt ?? 0);
    clock.advance(1);
    await here.runSchedule('retryDeliveries');
    await expect.poll(() => search(correlationId).map(({ outcome }) => outcome)).toContain('delivered');
  });

  test('A run that a schedule ends has the id of that run of the schedule', async () => {
    const here = await stage();
    const { url, received } = await receiver();
    await here.webhook({ url, hookEvents: ['RUN_TIMEOUT'] });
    const { runId } = await startRun(here, SUITE);
    clock.advance(31 * 60_000);
    await here.runSchedule('timeOutRuns');
    await expect.poll(() => received.length).toBe(1);
    const line =
      logLines.find((one) => one.includes('"schedule":"timeOutRuns"') && one.includes('"timedOut":1')) ?? '{}';
    const { correlationId } = JSON.parse(line);
    await expect.poll(() => search(correlationId)).toEqual(has({ consumer: 'deliverWebhook', runId, delivered: 1 }));
  });

  test('The events of a report that is uploaded through a link have the id of the request for the link', async () => {
    vi.useRealTimers();
    const here = await stage();
    const path = `/projects/${here.projectId}/imports/links?ciBuildId=linked`;
    const { status, body, headers } = await here.api.send('POST', path);
    expect(status).toBe(201);
    const report = Uint8Array.from(Buffer.from(junit({ 'cart.test.ts': { sums: 'passed' } })));
    expect((await fetch(body.data.uploadUrl, { method: 'PUT', body: report })).status).toBe(200);
    const id = headers.get('x-request-id') ?? '';
    const { importId } = body.data;
    const recorded = { consumer: 'recordReport', import: 'recorded', importId, correlationId: id };
    await expect.poll(() => search(id)).toEqual(has(recorded));
    await expect
      .poll(() => search(id))
      .toEqual(has({ message: 'record handled', correlationId: id, event: 'RunEnded' }));
  });

  test('What happens to an uploaded file has the id of the request that announced it', async () => {
    vi.useRealTimers();
    const here = await stage();
    const { instances } = await recordRun(here, { retail: { tests: { 'cart.spec.ts > cart > sums': passed() } } });
    const announcement = { type: 'stdout', name: 'stdout', contentType: 'text/plain' };
    const path = `@/artifacts/instance/${instances['retail cart.spec.ts']}`;
    const { status, body, headers } = await here.api.post(path, announcement);
    expect(status).toBe(200);
    const file = { method: 'PUT', body: 'a page', headers: { 'content-type': 'text/html' } };
    expect((await fetch(body.uploadUrl, file)).status).toBe(200);
    const id = headers.get('x-request-id') ?? '';
    const refused = { consumer: 'confirmArtifact', upload: 'refused', correlationId: id };
    await expect.poll(() => search(id)).toEqual(has(refused));
  });

  test('A message of an earlier release, which has no id, is handled, and gets the id of the message', async () => {
    const here = await stage();
    const { url, received } = await receiver();
    const delivery = await here.delivery(await here.webhook({ url }));
    const { correlationId: _, ...message } = jobOf(delivery);
    await connectDeliveryQueue(here.environment)().send([{ message }]);
    await expect.poll(() => received.length).toBe(1);
    const lines = () => logLines.filter((line) => line.includes(delivery.deliveryId) && line.includes('"delivered":1'));
    await expect.poll(() => lines().length).toBe(1);
    const { messageId, correlationId } = JSON.parse(lines()[0] ?? '{}');
    expect(correlationId).toBe(messageId);
  });

  test('A client cannot choose the id, although it can choose the request id of API Gateway', async () => {
    const here = await service();
    const chosen = `chosen-${crypto.randomUUID()}`;
    const headers = { 'x-amzn-requestid': chosen, 'x-request-id': chosen, 'x-correlation-id': chosen };
    const answer = await here.api.get('/projects', { headers });
    expect(answer.headers.get('x-amzn-requestid')).toBe(chosen);
    expect(answer.headers.get('x-request-id')).not.toBe(chosen);
    expect(search(answer.headers.get('x-request-id') ?? '')).toEqual(has({ message: 'request', statusCode: 200 }));
    expect(search(chosen)).toEqual([]);
  });
});
