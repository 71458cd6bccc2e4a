/** What a run left in the table, down to the last row: told by the database itself, not by the service. */
import { inflateRawSync } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';

export interface Row {
  readonly pk: string;
  readonly sk: string;
  readonly [attribute: string]: unknown;
}

/**
 * Counts of changes, and which of two machines was first. Everything else has to be the same, however often and in
 * whatever order requests arrive.
 */
const INCIDENTAL = ['version', 'finals', 'createdBy', 'ciBuildId'];

/** Every row of the run, its own id replaced by `RUN` so that runs of one organization can be compared, sorted by key. */
export async function rowsOfRun(environment: Readonly<Record<string, string>>, runId: string): Promise<Row[]> {
  const client = connect(environment);
  const rows: Row[] = [];
  for await (const page of paginateScan({ client }, { TableName: environment['TABLE_NAME'], ConsistentRead: true })) {
    for (const item of page.Items ?? []) {
      if (!`${item['pk']} ${item['sk']}`.includes(runId)) continue;
      rows.push(JSON.parse(JSON.stringify(readable(item)).replaceAll(runId, 'RUN')));
    }
  }
  client.destroy();
  const key = ({ pk, sk }: Row) => `${pk}\n${sk}`;
  return rows.sort((one, other) => (key(one) < key(other) ? -1 : 1));
}

/** With what the service gives its functions, so that it may run in any process. */
function connect(environment: Readonly<Record<string, string>>): DynamoDBDocumentClient {
  const variable = (name: string) => environment[name] ?? '';
  const region = variable('AWS_REGION');
  const endpoint = variable('AWS_ENDPOINT_URL_DYNAMODB');
  const credentials = {
    accessKeyId: variable('AWS_ACCESS_KEY_ID'),
    secretAccessKey: variable('AWS_SECRET_ACCESS_KEY'),
  };
  return DynamoDBDocumentClient.from(new DynamoDBClient({ region, endpoint, credentials }));
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
