/** Queries Parquet files with DuckDB, as analysts do. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { describe } from 'vitest';

/** `undefined` if npm installed no DuckDB binary. npm installs only the binary for the platform on which it runs. */
const library = await import('@duckdb/node-api').catch(() => undefined);

if (!library)
  console.warn(`SKIPPED: tests that read exports. npm installed no DuckDB for ${process.platform} ${process.arch}.`);

/**
 * Use this function instead of `describe` for tests that query with DuckDB. On machines without its binary, it skips
 * the tests and says so.
 */
export const describeWithDuckdb = describe.skipIf(!library);

let connected: Promise<DuckDBConnection> | undefined;

async function connect(): Promise<DuckDBConnection> {
  if (!library) throw new Error('DuckDB is not installed. Put the test inside describeWithDuckdb');
  const instance = await library.DuckDBInstance.create(':memory:', { threads: '1' });
  return instance.connect();
}

export type QueryRow = Readonly<Record<string, unknown>>;

/** Runs a query in the database of this test file. Integers of 64 bits become numbers. */
export async function duckdb(sql: string): Promise<readonly QueryRow[]> {
  connected ??= connect();
  const connection = await connected;
  const reader = await connection.runAndReadAll(sql);
  return reader
    .getRowObjectsJS()
    .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])));
}

const plain = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);

/** SQL for the `FROM` clause of a query: all executions in the folder of an organization. */
export const executionsIn = (folder: string, organizationId: string): string =>
  `read_parquet('${folder}/${organizationId}/*/*/*.parquet', hive_partitioning = true)`;
