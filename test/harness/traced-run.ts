/** A run with one failed test, whose last attempt has an uploaded trace. */
import { expect, vi } from 'vitest';
import { recordRun } from './recording.ts';
import { failed } from './recording-messages.ts';
import { service } from './service.ts';

const TEST = 'cart.spec.ts > cart > sums its articles';
const TRACE = { type: 'trace', name: 'trace', contentType: 'application/zip', attemptId: 1 };

export async function tracedRun(trace: Uint8Array<ArrayBuffer>) {
  // Uses the real clock, because the object store checks presigned URLs against the real time.
  vi.useRealTimers();
  const stage = await service();
  const { runId, records, instances } = await recordRun(stage, { retail: { tests: { [TEST]: failed() } } });
  const instanceId = instances['retail cart.spec.ts'] ?? '';
  const path = `@/artifacts/test-record/${records[`retail ${TEST}`]}`;
  const { uploadUrl } = (await stage.api.post(path, { ...TRACE, artifactId: crypto.randomUUID() })).body;
  await fetch(uploadUrl, { method: 'PUT', body: trace, headers: { 'content-type': TRACE.contentType } });
  const arrived = async () =>
    (await stage.reader.get(`/instances/${instanceId}`)).body.data.results.playwrightTraces[0].bytes;
  await expect.poll(arrived).toBe(trace.length);
  return { ...stage, runId, instanceId };
}
