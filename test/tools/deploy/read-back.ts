/** Reads the recorded data from the deployment. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { type Account, expectedCounts } from './recording.ts';

const Counters = z.object({
  overall: z.int(),
  passes: z.int(),
  failures: z.int(),
  pending: z.int(),
  skipped: z.int(),
  flaky: z.int(),
});
const Run = z.object({
  data: z.object({
    completionState: z.string(),
    groups: z.array(z.object({ groupId: z.string(), tests: Counters })),
    specs: z.array(z.object({ instanceId: z.string() })),
  }),
});
const Instance = z.object({
  data: z.object({
    results: z.object({ stdout: z.object({ readUrl: z.url(), bytes: z.int().nullable() }).nullable() }),
  }),
});
/**
 * The maximum time until an upload is confirmed. The confirmation passes through S3, the queue and a function with a
 * cold start.
 */
const CONFIRMATION_SECONDS = 60;

export async function read(url: string, { recordKey }: Pick<Account, 'recordKey'>): Promise<unknown> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${recordKey}` } });
  assert.equal(response.status, 200, `GET ${url}: ${response.status}`);
  return response.json();
}

const standardOutput = async (url: string, account: Account) =>
  Instance.parse(await read(url, account)).data.results.stdout;

/** Checks that the run is complete and has the expected counts. Returns the ids of instances with standard output. */
export async function readBack(baseUrl: string, account: Account, runId: string): Promise<string[]> {
  const { data: run } = Run.parse(await read(`${baseUrl}/runs/${runId}`, account));
  assert.equal(run.completionState, 'COMPLETE');
  const counted = run.groups.map(({ groupId, tests: { overall, passes, failures, pending, skipped, flaky } }) => {
    return [groupId, { overall, passes, failures, notRun: pending + skipped, flaky }];
  });
  assert.deepEqual(Object.fromEntries(counted), await expectedCounts());

  const instances = await Promise.all(
    run.specs.map(async ({ instanceId }) => ({
      instanceId,
      output: await standardOutput(`${baseUrl}/instances/${instanceId}`, account),
    })),
  );
  const withOutput = instances.flatMap(({ instanceId, output }) => (output ? [{ instanceId, output }] : []));
  assert.ok(withOutput.length > 0, 'No instance has a link to its standard output');

  const anonymous = await fetch(`${baseUrl}/runs/${runId}`);
  assert.equal(anonymous.status, 401);
  assert.equal(anonymous.headers.get('www-authenticate'), 'Bearer realm="rundown"');
  return withOutput.map(({ instanceId }) => instanceId);
}

/**
 * Waits until the size of each standard output is known, and checks it. The size is known after S3, the queue and the
 * function have handled the upload.
 */
export async function confirmed(baseUrl: string, account: Account, instanceIds: readonly string[]): Promise<void> {
  const deadline = Date.now() + CONFIRMATION_SECONDS * 1000;
  for (const instanceId of instanceIds) {
    const look = () => standardOutput(`${baseUrl}/instances/${instanceId}`, account);
    let output = await look();
    while (output?.bytes === null && Date.now() < deadline) {
      await wait(200);
      output = await look();
    }
    // The file is stored compressed. Its `Content-Length` header has the compressed size, and `fetch` returns the text.
    const file = await fetch(output?.readUrl ?? '');
    assert.match(await file.text(), /Currents reporter/);
    const bytes = Number(file.headers.get('content-length'));
    assert.equal(output?.bytes, bytes, `The size of the standard output of ${instanceId} is wrong`);
  }
}

const Found = z.object({ data: z.object({ runId: z.string(), completionState: z.string() }) });

export async function runOfBuild(baseUrl: string, account: Account): Promise<z.infer<typeof Found>['data']> {
  const query = new URLSearchParams({ projectId: account.projectId, ciBuildId: account.ciBuildId });
  return Found.parse(await read(`${baseUrl}/runs/find?${query}`, account)).data;
}

/** Cancels a run in progress, and checks its state. */
export async function cancel(baseUrl: string, account: Account, runId: string): Promise<void> {
  const headers = { authorization: `Bearer ${account.recordKey}` };
  const response = await fetch(`${baseUrl}/runs/${runId}/cancel`, { method: 'PUT', headers });
  assert.equal(response.status, 200, `PUT /runs/${runId}/cancel: ${await response.text()}`);
  const { data: run } = Run.parse(await read(`${baseUrl}/runs/${runId}`, account));
  assert.equal(run.completionState, 'CANCELED');
}

/** Checks the failure context of the run as JSON and as Markdown. */
export async function readContext(baseUrl: string, account: Account, runId: string): Promise<void> {
  const url = `${baseUrl}/context?run_id=${runId}`;
  const json = JSON.stringify(await read(`${url}&format=json`, account));
  assert.ok(json.includes(runId) && json.includes('"stack"'), `The context has no error: ${json.slice(0, 500)}`);
  const headers = { authorization: `Bearer ${account.recordKey}`, accept: 'text/markdown' };
  const response = await fetch(url, { headers });
  const markdown = await response.text();
  assert.equal(response.headers.get('content-type')?.split(';')[0], 'text/markdown');
  assert.match(markdown, /^# /, 'The Markdown does not start with a heading');
}
