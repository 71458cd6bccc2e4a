/**
 * A proxy in front of the local database that answers eventually consistent reads from an older state. DynamoDB may do so
 * at any time, but the local database never does. Two copies of the table follow it: one is a second old, by the clock of
 * the test, and one has the state of each row before its last write, however long ago that was.
 */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { bind, closeServer, getPort, LOOPBACK } from '#infra/local/host/loopback.ts';
import { post } from '#infra/local/stores/kept-connection.ts';
import { splitIntoChunks } from '#shared/engine/chunks.ts';
import { forward } from './engine-proxy.ts';

/** `second`: the state of a second ago. `write`: the state before the last write of each row. `none`: the latest state. */
export type Staleness = 'second' | 'write' | 'none';

export const parseStaleness = (value: string | undefined): Staleness | undefined =>
  value === undefined ? undefined : z.enum(['second', 'write', 'none']).parse(value);

const AGE_MILLISECONDS = 1000;

type Row = Readonly<Record<string, unknown>>;
const Row = z.record(z.string(), z.unknown());
const Key = z.object({ pk: z.unknown(), sk: z.unknown() }).transform(({ pk, sk }) => ({ pk, sk }));
type Key = z.output<typeof Key>;

const OfTable = z.looseObject({ TableName: z.string() });
const PutItem = OfTable.extend({ Item: Key });
const KeyedItem = OfTable.extend({ Key });
const BatchWriteItem = z.object({
  RequestItems: z.record(
    z.string(),
    z.array(z.object({ PutRequest: z.object({ Item: Key }).optional(), DeleteRequest: z.object({ Key }).optional() })),
  ),
});
const TransactWriteItems = z.object({
  TransactItems: z.array(
    z.object({ Put: PutItem.optional(), Update: KeyedItem.optional(), Delete: KeyedItem.optional() }),
  ),
});
const BatchGetItem = z.looseObject({
  RequestItems: z.record(z.string(), z.looseObject({ ConsistentRead: z.boolean().optional() })),
});
const SingleRead = OfTable.extend({ ConsistentRead: z.boolean().optional() });
const BatchAnswer = z.object({ Responses: z.record(z.string(), z.array(Row)) });

interface WrittenRow {
  readonly table: string;
  readonly key: Key;
}

/** The rows that a call writes. */
function listWrittenRows(operation: string, body: unknown): WrittenRow[] {
  if (operation === 'PutItem') {
    const { TableName: table, Item: key } = PutItem.parse(body);
    return [{ table, key }];
  }
  if (operation === 'UpdateItem' || operation === 'DeleteItem') {
    const { TableName: table, Key: key } = KeyedItem.parse(body);
    return [{ table, key }];
  }
  if (operation === 'BatchWriteItem') {
    return Object.entries(BatchWriteItem.parse(body).RequestItems).flatMap(([table, writes]) =>
      writes.flatMap(({ PutRequest, DeleteRequest }) => {
        const key = PutRequest?.Item ?? DeleteRequest?.Key;
        return key ? [{ table, key }] : [];
      }),
    );
  }
  if (operation !== 'TransactWriteItems') return [];
  return TransactWriteItems.parse(body).TransactItems.flatMap(({ Put, Update, Delete }) => [
    ...(Put ? [{ table: Put.TableName, key: Put.Item }] : []),
    ...[Update, Delete].flatMap((write) => (write ? [{ table: write.TableName, key: write.Key }] : [])),
  ]);
}

/** The state of a row. `row` is `undefined` if the row does not exist. */
interface Version extends WrittenRow {
  readonly row: Row | undefined;
}

const SUFFIX = { second: '-second', write: '-write' } as const;

export interface StaleReads {
  readonly endpoint: string;
  /** Where eventually consistent reads come from. `second` at first. */
  staleness: Staleness;
  readonly close: () => Promise<void>;
}

export async function startStaleReads(engine: string, staleness: Staleness): Promise<StaleReads> {
  /** Versions that the copy of a second ago does not have yet. */
  const pending: { readonly at: number; readonly versions: readonly Version[] }[] = [];
  let last: Promise<unknown> = Promise.resolve();
  /** Runs one at a time, so that the copies get the versions of a row in their order. */
  const inTurn = <Result>(act: () => Promise<Result>): Promise<Result> => {
    const turn = last.then(act);
    last = turn.catch(() => undefined);
    return turn;
  };
  const state = { staleness };

  const write = async (operation: string, rows: readonly WrittenRow[], send: () => Promise<Reply>) => {
    const before = await readVersions(engine, rows);
    const reply = await send();
    if (reply.status !== 200) return reply;
    const after =
      operation === 'DeleteItem' ? rows.map((row) => ({ ...row, row: undefined })) : await readVersions(engine, rows);
    await storeVersions(engine, 'write', before);
    pending.push({ at: Date.now(), versions: after });
    return reply;
  };

  const catchUp = async () => {
    const due = pending.filter(({ at }) => at <= Date.now() - AGE_MILLISECONDS);
    pending.splice(0, due.length);
    for (const { versions } of due) await storeVersions(engine, 'second', versions);
  };

  const server = createServer((request, response) => {
    const handle = async () => {
      const sent = await buffer(request);
      const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
      const pass = async (body: Buffer): Promise<Reply> => {
        const answer = await forward(engine, withLength(request, body), body);
        return { status: answer.statusCode ?? 502, headers: answer.headers, body: await buffer(answer) };
      };
      const reply = await answerCall({ operation, sent, pass });
      response.writeHead(reply.status, reply.headers).end(reply.body);
    };
    handle().catch(() => response.destroy());
  });

  const answerCall = async ({ operation, sent, pass }: ProxiedCall): Promise<Reply> => {
    if (!OPERATIONS.has(operation)) return pass(sent);
    const body: unknown = JSON.parse(sent.toString());
    if (operation === 'CreateTable') {
      const { StreamSpecification, ...rest } = OfTable.parse(body);
      for (const suffix of Object.values(SUFFIX))
        await call(engine, operation, { ...rest, TableName: rest.TableName + suffix });
      return pass(sent);
    }
    const rows = listWrittenRows(operation, body);
    if (rows.length > 0) return inTurn(() => write(operation, rows, () => pass(sent)));
    const { staleness: wanted } = state;
    if (wanted === 'none') return pass(sent);
    const redirected = redirect(operation, body, SUFFIX[wanted]);
    if (redirected === undefined) return pass(sent);
    await inTurn(catchUp);
    const reply = await pass(Buffer.from(JSON.stringify(redirected)));
    const renamed = Buffer.from(reply.body.toString().replaceAll(`${SUFFIX[wanted]}"`, '"'));
    // Without the checksum of the body as it was.
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'content-length': String(renamed.length) };
    return { status: reply.status, headers, body: renamed };
  };

  await bind(server, 0);
  return {
    endpoint: `http://${LOOPBACK}:${getPort(server)}`,
    get staleness() {
      return state.staleness;
    },
    set staleness(value) {
      state.staleness = value;
    },
    close: () => closeServer(server),
  };
}

interface Reply {
  readonly status: number;
  readonly headers: Parameters<typeof forward>[1]['headers'];
  readonly body: Buffer;
}

interface ProxiedCall {
  readonly operation: string;
  readonly sent: Buffer;
  readonly pass: (body: Buffer) => Promise<Reply>;
}

const OPERATIONS: ReadonlySet<string> = new Set([
  'CreateTable',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
  'TransactWriteItems',
  'GetItem',
  'BatchGetItem',
  'Query',
]);

type Incoming = Parameters<typeof forward>[1];
const withLength = (request: Incoming, body: Buffer): Incoming =>
  Object.assign(Object.create(request), {
    method: request.method,
    url: request.url,
    headers: { ...request.headers, 'content-length': String(body.length) },
  });

/** The same read of a copy, or `undefined` if the read is consistent. */
function redirect(operation: string, body: unknown, suffix: string): object | undefined {
  if (operation === 'BatchGetItem') {
    const { RequestItems, ...rest } = BatchGetItem.parse(body);
    if (Object.values(RequestItems).some(({ ConsistentRead }) => ConsistentRead === true)) return undefined;
    const entries = Object.entries(RequestItems).map(([table, keys]) => [table + suffix, keys]);
    return { ...rest, RequestItems: Object.fromEntries(entries) };
  }
  const read = SingleRead.parse(body);
  return read.ConsistentRead ? undefined : { ...read, TableName: read.TableName + suffix };
}

const HEADERS = [
  'content-type: application/x-amz-json-1.0',
  'x-amz-date: 20261102T100000Z',
  'authorization: AWS4-HMAC-SHA256 Credential=local/20261102/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
]
  .map((line) => `${line}\r\n`)
  .join('');

async function call(engine: string, operation: string, input: object): Promise<unknown> {
  const headers = `x-amz-target: DynamoDB_20120810.${operation}\r\n${HEADERS}`;
  const { status, body } = await post(engine, headers, JSON.stringify(input));
  if (status !== 200) throw new Error(`${operation} of a copy of the table failed: ${body}`);
  return JSON.parse(body);
}

const formatKey = ({ pk, sk }: { readonly pk?: unknown; readonly sk?: unknown }): string => JSON.stringify([pk, sk]);

async function readVersions(engine: string, rows: readonly WrittenRow[]): Promise<Version[]> {
  const versions = splitIntoChunks(rows, 100).map(async (chunk) => {
    const [{ table } = { table: '' }] = chunk;
    const Keys = [...new Map(chunk.map(({ key }) => [formatKey(key), key])).values()];
    const answer = await call(engine, 'BatchGetItem', { RequestItems: { [table]: { Keys, ConsistentRead: true } } });
    const found = BatchAnswer.parse(answer).Responses[table] ?? [];
    const byKey = new Map(found.map((row) => [formatKey(row), row]));
    return Keys.map((key) => ({ table, key, row: byKey.get(formatKey(key)) }));
  });
  return (await Promise.all(versions)).flat();
}

async function storeVersions(engine: string, copy: keyof typeof SUFFIX, versions: readonly Version[]): Promise<void> {
  for (const chunk of splitIntoChunks(versions, 25)) {
    const [{ table } = { table: '' }] = chunk;
    const writes = chunk.map(({ key, row }) => (row ? { PutRequest: { Item: row } } : { DeleteRequest: { Key: key } }));
    await call(engine, 'BatchWriteItem', { RequestItems: { [table + SUFFIX[copy]]: writes } });
  }
}
