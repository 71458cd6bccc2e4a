/** Records the synthetic suite through both protocols, as `currents upload` and the streaming reporter would. */
import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import { GROUP, instanceBody, messagesOf, runBody, type SuiteSpec } from './suite.ts';
import type { Stand } from './stand.ts';

/** `currents upload` packs instances until a call has this much JSON. */
const CHUNK_BYTES = 1024 * 1024;
/** Workers of the streaming side: each has one spec file at a time. */
const WORKERS = 4;

const Started = z.object({ runId: z.string() });
const Claimed = z.object({ instanceId: z.string() });
const Recorded = z.object({ recordId: z.string() });

/** One call for the suite, then one per chunk of instances. Returns the run's id. */
export async function upload(stand: Stand, ciBuildId: string, suite: readonly SuiteSpec[]): Promise<string> {
  const run = runBody({ projectId: stand.projectId, recordKey: stand.recordKey, ciBuildId }, suite);
  const { runId } = Started.parse(await uploadCall(stand, { ...run, instances: [] }));
  for (const instances of chunks(suite)) await uploadCall(stand, { ...run, fullTestSuite: [], instances });
  return runId;
}

const uploadCall = (stand: Stand, body: object): Promise<unknown> =>
  send(stand, 'POST', '/runs', gzipSync(JSON.stringify(body)), { 'content-encoding': 'gzip' });

export function chunks(suite: readonly SuiteSpec[]): object[][] {
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

/** Run, claims, two messages per test, a file per failed attempt and the output of each spec file. Returns the run's id. */
export async function stream(stand: Stand, ciBuildId: string, suite: readonly SuiteSpec[]): Promise<string> {
  const runId = await startRun(stand, ciBuildId, suite);
  const waiting = suite.values();
  const worker = async () => {
    for (const spec of waiting) await streamSpec(stand, runId, spec);
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return runId;
}

export async function startRun(stand: Stand, ciBuildId: string, suite: readonly SuiteSpec[]): Promise<string> {
  const body = runBody({ projectId: stand.projectId, recordKey: stand.recordKey, ciBuildId }, suite);
  const key = { 'x-currents-idempotency-key': `start ${ciBuildId}` };
  return Started.parse(await send(stand, 'POST', '@/runs/v1', JSON.stringify(body), key)).runId;
}

export async function claim(stand: Stand, runId: string, { spec }: SuiteSpec): Promise<string> {
  const body = { runId, groupId: GROUP, machineId: 'ci-machine-1', spec, worker: { workerIndex: 0, parallelIndex: 0 } };
  const path = `@/runs/${runId}/pw/instances/v1`;
  return Claimed.parse(await send(stand, 'POST', path, JSON.stringify(body))).instanceId;
}

async function streamSpec(stand: Stand, runId: string, file: SuiteSpec): Promise<void> {
  const { spec, tests } = file;
  const instanceId = await claim(stand, runId, file);
  for (const test of tests) {
    const { began, ended } = messagesOf(test, { runId, instanceId, spec });
    const { recordId } = Recorded.parse(await send(stand, 'POST', '@/test-record', JSON.stringify(began)));
    const failed = ended.attempts.filter(({ errors }) => errors.length > 0);
    for (const { attempt } of failed) {
      const artifact = {
        type: 'attachment',
        name: 'error-context',
        filename: 'error-context.md',
        artifactId: `${recordId}-${attempt}`,
        attemptId: attempt,
        contentType: 'text/markdown',
      };
      await send(stand, 'POST', `@/artifacts/test-record/${recordId}`, JSON.stringify(artifact));
    }
    await send(stand, 'PUT', `@/test-record/${recordId}`, JSON.stringify(ended));
  }
  const output = { type: 'stdout', name: 'stdout', contentType: 'text/plain' };
  await send(stand, 'POST', `@/artifacts/instance/${instanceId}`, JSON.stringify(output));
}

/** The answer's body. Throws when the request was refused. */
async function send(
  { api }: Stand,
  method: string,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const answer = await api.send(method, path, body, { headers: { 'content-type': 'application/json', ...headers } });
  if (answer.status === 200) return answer.body;
  throw new Error(`${method} ${path} was answered with ${answer.status}: ${JSON.stringify(answer.body)}`);
}
