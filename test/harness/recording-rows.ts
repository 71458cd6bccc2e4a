/** Reads the rows of a run directly from the database. */
import { inflateRawSync } from 'node:zlib';
import { decodeProgress } from '#shared/model/runs/progress.ts';
import { itemsWith } from './table-rows.ts';

export interface Row {
  readonly pk: string;
  readonly sk: string;
  readonly [attribute: string]: unknown;
}

/**
 * Attributes that may differ between equal runs: versions, the number of final messages, the request key and the build
 * id of the run, times of messages, the `watched` attributes of tests, the id of the request that announced a file, and
 * sizes and digests of packed values. No other attribute may depend on the order of requests.
 */
const INCIDENTAL = [
  'version',
  'finals',
  'createdBy',
  'ciBuildId',
  'heardAt',
  'watched',
  'correlationId',
  'size',
  'digest',
];

/**
 * Rows that may differ between equal runs: pending analytics work, which is added even if a request repeats a change,
 * and rows for analytics and search, which a queue consumer writes some time after the end of the run.
 */
const READ_MODEL = /^((PENDING|DUE#analytics|WORDS)#|RUN#\S+ FACTS#)/;

/**
 * The rows whose key contains the run id, except those that match `READ_MODEL`, sorted by key. `RUN` replaces the run
 * id, so that runs can be compared.
 */
export async function rowsOfRun(environment: Readonly<Record<string, string>>, runId: string): Promise<Row[]> {
  const all = await itemsWith(environment, runId);
  const items = all.filter(({ pk, sk }) => `${pk} ${sk}`.includes(runId) && !READ_MODEL.test(`${pk} ${sk}`));
  const rows = items.map((item): Row => JSON.parse(JSON.stringify(readable(item)).replaceAll(runId, 'RUN')));
  const key = ({ pk, sk }: Row) => `${pk}\n${sk}`;
  return rows.sort((one, other) => (key(one) < key(other) ? -1 : 1));
}

/** Attributes whose bytes are digests, which are not packed. */
const RAW: readonly string[] = ['keys', 'missing', 'specs'];

/** Unpacks packed attributes, and removes the attributes in `INCIDENTAL`. */
const readable = (item: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([name]) => !INCIDENTAL.includes(name))
      .map(([name, value]) => [name, value instanceof Uint8Array && !RAW.includes(name) ? unpacked(value) : value])
      .map(([name, value]) => [name, isProgress(item) ? progressWithoutVersion(value) : value]),
  );

const isProgress = ({ pk }: Record<string, unknown>): boolean => String(pk).startsWith('PROGRESS#');

/** Decodes live counters and sets their version to 0. Returns any other value unchanged. */
const progressWithoutVersion = (value: unknown): unknown =>
  typeof value === 'string' && /^[0-9a-z]{9}[0-9a-z.]+$/.test(value) ? { ...decodeProgress(value), version: 0 } : value;

const unpacked = (bytes: Uint8Array): unknown => JSON.parse(inflateRawSync(bytes).toString('utf8'));

/**
 * The kind of each row, sorted: the first part of its partition key, and the first word of its sort key. A sort key
 * that does not begin with a word in capital letters counts as `instant`.
 */
export const kindsOf = (rows: readonly Row[]): string[] =>
  rows.map(({ pk, sk }) => `${pk.split('#')[0]} ${/^[A-Z]+/.exec(sk)?.[0] ?? 'instant'}`).sort();
