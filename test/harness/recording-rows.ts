/** What a run left in the table, down to the last row: told by the database itself, not by the service. */
import { inflateRawSync } from 'node:zlib';
import { itemsOf } from './table-rows.ts';

export interface Row {
  readonly pk: string;
  readonly sk: string;
  readonly [attribute: string]: unknown;
}

/**
 * Counts of changes, when the last came, and which of two machines was first. Everything else has to be the same, however often and in
 * whatever order requests arrive.
 */
const INCIDENTAL = ['version', 'finals', 'createdBy', 'ciBuildId', 'heardAt'];

/** Every row of the run, its own id replaced by `RUN` so that runs of one organization can be compared, sorted by key. */
export async function rowsOfRun(environment: Readonly<Record<string, string>>, runId: string): Promise<Row[]> {
  const items = await itemsOf(environment, ({ pk, sk }) => `${pk} ${sk}`.includes(runId));
  const rows = items.map((item): Row => JSON.parse(JSON.stringify(readable(item)).replaceAll(runId, 'RUN')));
  const key = ({ pk, sk }: Row) => `${pk}\n${sk}`;
  return rows.sort((one, other) => (key(one) < key(other) ? -1 : 1));
}

/** Packed attributes unpacked, incidental ones left out. */
const readable = (item: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([name]) => !INCIDENTAL.includes(name))
      .map(([name, value]) => [name, value instanceof Uint8Array ? unpacked(value) : value]),
  );

const unpacked = (bytes: Uint8Array): unknown => JSON.parse(inflateRawSync(bytes).toString('utf8'));

/** For messages of failing tests: kinds of rows and how many there are. */
export const kindsOf = (rows: readonly Row[]): string[] =>
  rows.map(({ pk, sk }) => `${pk.split('#')[0]} ${/^[A-Z]+/.exec(sk)?.[0] ?? 'instant'}`).sort();
