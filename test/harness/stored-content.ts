/** Reads everything that a service stores in its table and its bucket, so that tests can compare and restore it. */
import { sendAwsJsonRequest } from '#infra/local/host/aws-request.ts';
import { Presigner } from '#shared/engine/aws/presigner.ts';
import { UnreadableBytes, unpack } from '#shared/engine/table/packed.ts';
import { keysIn } from './bucket.ts';
import { type StoredRow, storedIn, withoutCounts } from './table-rows.ts';

type Environment = Readonly<Record<string, string>>;

interface StoredObject {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface Content {
  /** The rows by key. */
  readonly rows: ReadonlyMap<string, StoredRow>;
  /** The objects by key. */
  readonly objects: ReadonlyMap<string, StoredObject>;
}

/** Reads all rows and objects. Leaves out the rows that count use. */
export async function contentOf(environment: Environment): Promise<Content> {
  const rows = withoutCounts(await storedIn(environment));
  const objects = new Map<string, StoredObject>();
  // The service of `own-table.ts` has no bucket.
  for (const key of environment['ARTIFACTS_BUCKET'] ? await keysIn(environment) : []) {
    const answer = await exchange(environment, 'GET', key);
    const type = answer.headers.get('content-type') ?? '';
    objects.set(key, { type, bytes: new Uint8Array(await answer.arrayBuffer()) });
  }
  return { rows: new Map(rows.map((row) => [keyOf(row), row])), objects };
}

/** Returns one line per row and per object, in a fixed order. */
export const linesOf = ({ rows, objects }: Content): string[] =>
  [
    ...[...rows.values()].map(lineOf),
    ...[...objects].map(([key, { type, bytes }]) => `${key} ${type} ${Buffer.from(bytes).toString('base64')}`),
  ].sort();

/** Restores the table and the bucket to this content. */
export async function restore(environment: Environment, content: Content): Promise<void> {
  const found = await contentOf(environment);
  const changed = [...content.rows].filter(([key, row]) => {
    const other = found.rows.get(key);
    return !other || lineOf(other) !== lineOf(row);
  });
  const added = [...found.rows].filter(([key]) => !content.rows.has(key));
  await writeRows(environment, [
    ...changed.map(([, Item]) => ({ PutRequest: { Item } })),
    ...added.map(([, { pk, sk }]) => ({ DeleteRequest: { Key: { pk, sk } } })),
  ]);
  for (const key of found.objects.keys()) if (!content.objects.has(key)) await exchange(environment, 'DELETE', key);
  for (const [key, object] of content.objects) {
    const other = found.objects.get(key);
    if (other?.type === object.type && Buffer.from(other.bytes).equals(object.bytes)) continue;
    await exchange(environment, 'PUT', key, object);
  }
}

async function writeRows(environment: Environment, writes: readonly object[]): Promise<void> {
  const endpoint = environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '';
  const name = environment['TABLE_NAME'] ?? '';
  for (let from = 0; from < writes.length; from += 25) {
    const input = { RequestItems: { [name]: writes.slice(from, from + 25) } };
    const { status, body } = await sendAwsJsonRequest({
      service: 'dynamodb',
      endpoint,
      operation: 'BatchWriteItem',
      input,
    });
    if (status !== 200) throw new Error(`The local DynamoDB refused BatchWriteItem: ${body}`);
  }
}

async function exchange(
  environment: Environment,
  method: 'GET' | 'PUT' | 'DELETE',
  key: string,
  object?: StoredObject,
): Promise<Response> {
  const presigner = new Presigner(environment['ARTIFACTS_BUCKET'] ?? '', environment);
  const url = await presigner.sign({ method, key, expiresIn: 900 });
  const answer = await fetch(url, {
    method,
    ...(object ? { body: object.bytes, headers: { 'content-type': object.type } } : {}),
  });
  if (!answer.ok)
    throw new Error(`The object store refused ${method} of ${key}: ${answer.status} ${await answer.text()}`);
  return answer;
}

const keyOf = ({ pk, sk }: StoredRow): string => JSON.stringify([pk, sk]);

const lineOf = (row: StoredRow): string => JSON.stringify(sorted(row));

/** Sorts maps and sets, because the embedded database returns their members in arbitrary order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    const isSet = ['SS', 'NS', 'BS'].includes(name) && Array.isArray(member);
    if (name === 'B' && typeof member === 'string') return [name, unpacked(member)];
    return [name, isSet ? [...member].sort() : sorted(member)];
  });
  return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Unpacks packed JSON and sorts its members, which may be in an arbitrary order. Returns other bytes unchanged, as
 * Base64.
 */
function unpacked(base64: string): unknown {
  try {
    return sorted(unpack(Buffer.from(base64, 'base64')));
  } catch (error) {
    if (error instanceof UnreadableBytes) return base64;
    throw error;
  }
}
