import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { confirmed } from '#test/harness/downloads.ts';
import { queueOf } from '#test/harness/queues.ts';
import { expectRunToBe, read } from '#test/harness/recording-readback.ts';
import { byName, type SeenTest } from '#test/harness/recording-report.ts';
import { rowsOfRun } from '#test/harness/recording-rows.ts';
import { deliverEvents, runDeployedBundles, service } from '#test/harness/service.ts';
import { resultsDirectory, runUpload } from './programs.ts';

deliverEvents();

runDeployedBundles();

/** The tag that all tests inherit from the run. Its group `contract` has the same tag. */
const INHERITED_TAGS = ['nightly'];

const Files = z.array(z.object({ path: z.string(), name: z.string().optional(), contentType: z.string() }));
const Attempt = z.object({
  status: z.string(),
  startTime: z.string(),
  duration: z.int(),
  errors: z.array(z.unknown()),
  error: z.object({ message: z.string() }).optional(),
  artifacts: Files.default([]),
});
const Test = z.object({
  title: z.array(z.string()),
  state: z.enum(['passed', 'failed', 'pending', 'skipped']),
  isFlaky: z.boolean(),
  expectedStatus: z.string(),
  annotations: z.array(z.object({ type: z.string(), description: z.string().optional() })).default([]),
  tags: z.array(z.string()).default([]),
  artifacts: Files.default([]),
  attempts: z.array(Attempt),
});
const Instance = z.object({
  groupId: z.string(),
  spec: z.string(),
  artifacts: Files.default([]),
  results: z.object({ tests: z.array(Test) }),
});

async function instancesIn(folder: string): Promise<z.output<typeof Instance>[]> {
  const files = await readdir(join(folder, 'instances'));
  return Promise.all(
    files.map(async (file) => Instance.parse(JSON.parse(await readFile(join(folder, 'instances', file), 'utf8')))),
  );
}

/** The tests in one file of a Results Directory, as the API should return them. */
const testsOf = ({ groupId: group, spec, results }: z.output<typeof Instance>): SeenTest[] =>
  results.tests.map(({ title, state, isFlaky, expectedStatus, annotations, tags, attempts, artifacts }) => ({
    name: [`${group} ${spec}`, ...title].join(' > '),
    group,
    spec,
    title,
    outcome: state,
    flaky: isFlaky,
    expectedStatus,
    annotations,
    tags: [...new Set([...INHERITED_TAGS, ...tags])].sort(),
    attempts: attempts.map(({ status, startTime, duration, errors, error, artifacts: own }, index) => ({
      status,
      startedAt: startTime,
      duration,
      workerIndex: -1,
      errors: Math.max(errors.length, error ? 1 : 0),
      error: error ? { message: error.message, location: null } : null,
      // Files that belong to the whole test are shown with its first attempt.
      attachments: [...(index === 0 ? artifacts : []), ...own].map(nameOf).sort(),
    })),
  }));

const nameOf = ({ name, path, contentType }: z.output<typeof Files>[number]) =>
  `${name ?? path.split('/').at(-1)} ${contentType}`;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rundown-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function uploaded() {
  const tenant = await service();
  vi.useRealTimers();
  await resultsDirectory(folder);
  const ended = await runUpload(tenant, folder, 'build-1');
  const runId = /Run created: \S+\/runs\/(\w+)/.exec(ended.output)?.[1] ?? '';
  expect({ status: ended.status, runId }).toEqual({ status: 0, runId: expect.stringMatching(/^[0-9a-f]{16}$/) });
  return { tenant, runId };
}

let shared: ReturnType<typeof uploaded> | undefined;
/** All tests share this upload, because repeating the upload changes nothing. */
const firstUpload = () => (shared ??= uploaded());

describe('currents upload', () => {
  test('`currents upload` records a Results Directory completely, including the exact content of its files', async () => {
    vi.useRealTimers();
    const { tenant, runId } = await firstUpload();
    const instances = await instancesIn(folder);
    await expectRunToBe(tenant, runId, instances.flatMap(testsOf).sort(byName));
    const run = await read(tenant.api, `/runs/${runId}`);
    expect(run.meta.framework).toMatchObject({ type: 'vitest', clientVersion: '1.10.0' });
    const links = new Map<string, string>();
    for (const { instanceId } of run.specs) {
      const { results } = await read(tenant.api, `/instances/${instanceId}`);
      for (const { filename, readUrl } of results.attachments) links.set(filename, readUrl);
      if (results.stdout) links.set('pricing.stdout.txt', results.stdout.readUrl);
    }
    const files = await readdir(join(folder, 'artifacts'));
    expect([...links.keys()].sort()).toEqual(files.sort());
    for (const file of files) {
      const bytes = await (await confirmed(links.get(file) ?? '')).text();
      expect(bytes).toBe(await readFile(join(folder, 'artifacts', file), 'utf8'));
    }
  });

  test('A repeated `currents upload` in a new process succeeds and changes nothing', async () => {
    vi.useRealTimers();
    const { tenant, runId } = await firstUpload();
    const arrivals = queueOf(tenant.environment, 'confirmArtifact');
    await expect.poll(arrivals.count).toBe(0);
    const rows = await rowsOfRun(tenant.environment, runId);
    const again = await runUpload(tenant, folder, 'build-1');
    expect(again.output).toContain('Marker file detected');
    expect(again.status).toBe(0);
    expect(await rowsOfRun(tenant.environment, runId)).toEqual(rows);
  });
});
