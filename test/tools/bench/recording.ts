/** Records the synthetic suite with both protocols, as `currents upload` and the streaming reporter do. */
import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import type { BenchService } from './bench-service.ts';
import { GROUP, instanceBody, messagesOf, runBody, type SuiteSpec, type SuiteTest } from './suite.ts';

/** `currents upload` puts at most this many bytes of JSON into one request, but at least one instance. */
const CHUNK_BYTES = 1024 * 1024;
/** The number of concurrent workers that stream results, each with one spec file at a time. */
const WORKERS = 4;

/** The client, project and key with which a run is recorded. */
export type Runner = Pick<BenchService, 'api' | 'projectId' | 'recordKey'>;

const Started = z.object({ runId: z.string() });
const Claimed = z.object({ instanceId: z.string() });
const Recorded = z.object({ recordId: z.string() });

/** Uploads a run: one request has the suite, and each of the others has a chunk of instances. Returns the run id. */
export async function upload(service: BenchService, ciBuildId: string, suite: readonly SuiteSpec[]): Promise<string> {
  const run = runBody({ projectId: service.projectId, recordKey: service.recordKey, ciBuildId }, suite);
  const { runId } = Started.parse(await uploadCall(service, { ...run, instances: [] }));
  for (const instances of chunks(suite)) await uploadCall(service, { ...run, fullTestSuite: [], instances });
  return runId;
}

const uploadCall = (service: BenchService, body: object): Promise<unknown> =>
  send(service, 'POST', '/runs', gzipSync(JSON.stringify(body)), { 'content-encoding': 'gzip' });

function chunks(suite: readonly SuiteSpec[]): object[][] {
  const all: object[][] = [[]];
  let bytes = 0;
  for (const spec of suite) {
    const instance = instanceBody(spec);
    const size = JSON.stringify(instance).length;
    if (bytes + size > CHUNK_BYTES && bytes > 0) {
      all.push([]);
      bytes = 0;
    }
    all.at(-1)?.push(instance);
    bytes += size;
  }
  return all;
}

/**
 * Streams a run with claims, two messages about each test, a file per failed attempt and the output of each spec file.
 * Returns the run id.
 */
export async function stream(service: BenchService, ciBuildId: string, suite: readonly SuiteSpec[]): Promise<string> {
  const runId = await startRun(service, ciBuildId, suite);
  const waiting = suite.values();
  const worker = async () => {
    for (const spec of waiting) await streamSpec(service, runId, spec);
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return runId;
}

export async function startRun(service: Runner, ciBuildId: string, suite: readonly SuiteSpec[]): Promise<string> {
  const body = runBody({ projectId: service.projectId, recordKey: service.recordKey, ciBuildId }, suite);
  const key = { 'x-currents-idempotency-key': `start ${ciBuildId}` };
  return Started.parse(await send(service, 'POST', '@/runs/v1', JSON.stringify(body), key)).runId;
}

export async function claim(service: Runner, runId: string, { spec }: SuiteSpec): Promise<string> {
  const body = { runId, groupId: GROUP, machineId: 'ci-machine-1', spec, worker: { workerIndex: 0, parallelIndex: 0 } };
  const path = `@/runs/${runId}/pw/instances/v1`;
  return Claimed.parse(await send(service, 'POST', path, JSON.stringify(body))).instanceId;
}

async function streamSpec(service: BenchService, runId: string, file: SuiteSpec): Promise<void> {
  const instanceId = await claim(service, runId, file);
  for (const test of file.tests) {
    const { began, ended } = messagesOf(test, { runId, instanceId, spec: file.spec });
    const { recordId } = Recorded.parse(await send(service, 'POST', '@/test-record', JSON.stringify(began)));
    for (const { attempt, errors } of ended.attempts) if (errors.length > 0) await addFile(service, recordId, attempt);
    await send(service, 'PUT', `@/test-record/${recordId}`, JSON.stringify(ended));
  }
  const output = { type: 'stdout', name: 'stdout', contentType: 'text/plain' };
  await send(service, 'POST', `@/artifacts/instance/${instanceId}`, JSON.stringify(output));
}

/** Sends the first message about a test. The returned function `end` sends the last one. */
export async function beginTest(
  service: Runner,
  of: { readonly runId: string; readonly instanceId: string; readonly spec: string },
  test: SuiteTest,
): Promise<{ readonly recordId: string; readonly end: () => Promise<unknown> }> {
  const { began, ended } = messagesOf(test, of);
  const { recordId } = Recorded.parse(await send(service, 'POST', '@/test-record', JSON.stringify(began)));
  return { recordId, end: () => send(service, 'PUT', `@/test-record/${recordId}`, JSON.stringify(ended)) };
}

/** Announces a file of a failed attempt, as the reporter does for each failed attempt. */
function addFile(service: BenchService, recordId: string, attempt: number): Promise<unknown> {
  const file = {
    type: 'attachment',
    name: 'error-context',
    filename: 'error-context.md',
    artifactId: `${recordId}-${attempt}`,
    attemptId: attempt,
    contentType: 'text/markdown',
  };
  return send(service, 'POST', `@/artifacts/test-record/${recordId}`, JSON.stringify(file));
}

/** Returns the body of the answer. Throws unless the status is 200. */
async function send(
  { api }: Pick<BenchService, 'api'>,
  method: string,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const answer = await api.send(method, path, body, { headers: { 'content-type': 'application/json', ...headers } });
  if (answer.status === 200) return answer.body;
  throw new Error(`${method} ${path} was answered with ${answer.status}: ${JSON.stringify(answer.body)}`);
}
