/** Days with many executions: files are written one row group at a time, and stored part by part. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { toExportedRow } from '#shared/analytics/exports/columns.ts';
import { EXPORT_LIMITS } from '#shared/analytics/exports/limits.ts';
import { ParquetFile } from '#shared/analytics/exports/parquet-file.ts';
import { FILE_LIMITS } from '#shared/engine/aws/limits.ts';
import { deriveInstanceId } from '#shared/model/ids.ts';
import { makeInstance } from '#shared/model/results/instance.ts';
import type { RecordedTest } from '#shared/model/results/instance-details.ts';
import { NEVER } from '#shared/model/runs/expiry.ts';
import { objectsOf } from '#test/harness/bucket.ts';
import { IS_DEEP } from '#test/harness/cases.ts';
import { describeWithDuckdb, duckdb } from '#test/harness/duckdb.ts';
import { exportFolder } from '#test/harness/exports.ts';
import { runItem } from '#test/harness/history-runs.ts';
import { noise } from '#test/harness/noise.ts';
import { service } from '#test/harness/service.ts';

const ROWS = IS_DEEP ? 1_000_000 : EXPORT_LIMITS.rowsPerGroup + 1;
const FAILED_EVERY = 50;
const TESTS = 5000;
/**
 * How much the resident memory may grow while the file is written. Holding the 1,000,000 rows of `npm run test:deep` in
 * memory would take more.
 */
const MEMORY_BYTES = 1_000_000_000;

const ERROR = { message: 'Error: expected 2, received 3', stack: null, location: null, snippet: null };

const testOf = (number: number): RecordedTest => {
  const isFailed = number % FAILED_EVERY === 0;
  const state = isFailed ? 'failed' : 'passed';
  const times = { startedAt: Date.UTC(2026, 10, 2) + number, duration: number % 1000 };
  return {
    testId: `test-${number % TESTS}`,
    recordId: '',
    title: ['cart', `does thing number ${number % TESTS}`],
    outcome: state,
    flaky: false,
    expectedStatus: 'passed',
    tags: ['nightly'],
    annotations: [],
    attempts: [
      {
        attempt: 0,
        state,
        rawStatus: state,
        ...times,
        workerIndex: 0,
        parallelIndex: 0,
        errors: isFailed ? [ERROR] : [],
      },
    ],
    done: true,
  };
};

describeWithDuckdb('A day with many executions', () => {
  test('A day with more executions than fit into one row group is written in several row groups, in limited memory', async () => {
    const run = runItem({ organizationId: 'acme', projectId: 'shop' });
    const spec = { groupId: 'retail', spec: 'cart.spec.ts' };
    const of = { organizationId: 'acme', runId: run.runId, ...spec, createdAt: 0, expiry: NEVER };
    const instance = makeInstance({ ...of, instanceId: deriveInstanceId(of) });
    const path = join(await exportFolder(), 'part-0.parquet');
    const file = await open(path, 'w');
    const before = process.memoryUsage().rss;
    let most = 0;
    const parquet = new ParquetFile(async (piece) => {
      most = Math.max(most, process.memoryUsage().rss - before);
      await file.writeFile(piece);
    });
    for (let number = 0; number < ROWS; number += 1)
      await parquet.add(toExportedRow({ run, group: undefined, instance, test: testOf(number) }));
    await parquet.end();
    const bytes = (await file.stat()).size;
    await file.close();
    const [counted] = await duckdb(
      `select count(*)::int as rows, count(*) filter (where error_message is not null)::int as failed,
         count(distinct signature)::int as tests, sum(duration_ms)::bigint as duration from '${path}'`,
    );
    const durations = Array.from({ length: ROWS }, (_, number) => number % 1000).reduce((sum, one) => sum + one, 0);
    expect(counted).toEqual({ rows: ROWS, failed: Math.ceil(ROWS / FAILED_EVERY), tests: TESTS, duration: durations });
    const groups = await duckdb(`select distinct row_group_id, row_group_num_rows from parquet_metadata('${path}')`);
    expect(groups).toHaveLength(Math.ceil(ROWS / EXPORT_LIMITS.rowsPerGroup));
    expect(bytes / ROWS).toBeLessThan(100);
    expect(most).toBeLessThan(MEMORY_BYTES);
  });
});

test('A large file is stored part by part, and replaces the earlier file only when all parts are stored', async () => {
  const stage = await service();
  // Uses the real clock, because the object store checks presigned URLs against the real time.
  vi.useRealTimers();
  const { services, organizationId } = stage;
  const key = `exports/${organizationId}/large`;
  const type = 'application/octet-stream';
  const bytes = noise(2 * FILE_LIMITS.partBytes + 3);
  const pieces = [
    bytes.subarray(0, 5),
    bytes.subarray(5, FILE_LIMITS.partBytes * 2),
    bytes.subarray(FILE_LIMITS.partBytes * 2),
  ];
  const read = async () => {
    const parts: Uint8Array[] = [];
    for await (const part of (await services.artifacts.open(key)) ?? []) parts.push(part);
    return Buffer.concat(parts);
  };
  await services.artifacts.put(key, Buffer.from('earlier'), type);
  const interrupted = services.artifacts.putInPieces(key, type, async (write) => {
    for (const piece of pieces.slice(0, 2)) await write(piece);
    throw new Error('The process has died');
  });
  await expect(interrupted).rejects.toThrow('The process has died');
  expect(await read()).toEqual(Buffer.from('earlier'));
  const stored = await services.artifacts.putInPieces(key, type, async (write) => {
    for (const piece of pieces) await write(piece);
  });
  expect(stored).toBe(bytes.byteLength);
  expect(Buffer.compare(await read(), bytes)).toBe(0);
  expect(await services.artifacts.putInPieces(`${key}-empty`, type, async () => {})).toBe(0);
  expect(await objectsOf(stage)).toEqual([key]);
});
