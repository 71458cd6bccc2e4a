/** Records the synthetic suite through both protocols, as `currents upload` and the streaming reporter would. */
import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import type { Stand } from './stand.ts';
import { GROUP, instanceBody, messagesOf, runBody, type SuiteSpec, type SuiteTest } from './suite.ts';

/** `currents upload` packs instances until a call has this much JSON. */
const CHUNK_BYTES = 1024 * 1024;
/** Workers of the streaming side: each has one spec file at a time. */
const WORKERS = 4;

/** Who records: a stand, or another organization of its service. */
export type Runner = Pick<Stand, 'api' | 'projectId' | 'recordKey'>;

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
 * Run, claims, the messages of each test, a file per failed attempt and the output of each spec file. Returns the run's id.
 * `updates`: messages about a test while it runs, between that it began and that it ended.
 */
export async function stream(
  stand: Stand,
  ciBuildId: string,
  suite: readonly SuiteSpec[],
  updates: number,
): Promise<string> {
  const runId = await startRun(stand, ciBuildId, suite);
  const waiting = suite.values();
  const worker = async () => {
    for (const spec of waiting) await streamSpec(stand, runId, spec, updates);
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return runId;
}

export async function startRun(stand: Runner, ciBuildId: string, suite: readonly SuiteSpec[]): Promise<string> {
  const body = runBody({ projectId: stand.projectId, recordKey: stand.recordKey, ciBuildId }, suite);
  const key = { 'x-currents-idempotency-key': `start ${ciBuildId}` };
  return Started.parse(await send(stand, 'POST', '@/runs/v1', JSON.stringify(body), key)).runId;
}

export async function claim(stand: Stand, runId: string, { spec }: SuiteSpec): Promise<string> {
  const body = { runId, groupId: GROUP, machineId: 'ci-machine-1', spec, worker: { workerIndex: 0, parallelIndex: 0 } };
  const path = `@/runs/${runId}/pw/instances/v1`;
  return Claimed.parse(await send(stand, 'POST', path, JSON.stringify(body))).instanceId;
}

async function streamSpec(stand: Stand, runId: string, file: SuiteSpec, updates: number): Promise<void> {
  const instanceId = await claim(stand, runId, file);
  for (const test of file.tests) {
    const { began, running, ended } = messagesOf(test, { runId, instanceId, spec: file.spec });
    const { recordId } = Recorded.parse(await send(stand, 'POST', '@/test-record', JSON.stringify(began)));
    const put = (message: object) => send(stand, 'PUT', `@/test-record/${recordId}`, JSON.stringify(message));
    for (let update = 1; update <= updates; update += 1) await put({ ...running, _t: update });
    for (const { attempt, errors } of ended.attempts) if (errors.length > 0) await addFile(stand, recordId, attempt);
    await put({ ...ended, _t: updates + 1 });
  }
  const output = { type: 'stdout', name: 'stdout', contentType: 'text/plain' };
  await send(stand, 'POST', `@/artifacts/instance/${instanceId}`, JSON.stringify(output));
}

/** Its first message; `end` sends the last. */
export async function beginTest(
  stand: Stand,
  of: { readonly runId: string; readonly instanceId: string; readonly spec: string },
  test: SuiteTest,
): Promise<{ readonly end: () => Promise<unknown> }> {
  const { began, ended } = messagesOf(test, of);
  const { recordId } = Recorded.parse(await send(stand, 'POST', '@/test-record', JSON.stringify(began)));
  return { end: () => send(stand, 'PUT', `@/test-record/${recordId}`, JSON.stringify(ended)) };
}

/** What the reporter attaches to each failed attempt. */
function addFile(stand: Stand, recordId: string, attempt: number): Promise<unknown> {
  const file = {
    type: 'attachment',
    name: 'error-context',
    filename: 'error-context.md',
    artifactId: `${recordId}-${attempt}`,
    attemptId: attempt,
    contentType: 'text/markdown',
  };
  return send(stand, 'POST', `@/artifacts/test-record/${recordId}`, JSON.stringify(file));
}

/** The answer's body. Throws when the request was refused. */
async function send(
  { api }: Pick<Stand, 'api'>,
  method: string,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const answer = await api.send(method, path, body, { headers: { 'content-type': 'application/json', ...headers } });
  if (answer.status === 200) return answer.body;
  throw new Error(`${method} ${path} was answered with ${answer.status}: ${JSON.stringify(answer.body)}`);
}
