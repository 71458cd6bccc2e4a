/** Reads table rows directly from the database. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod';
import { sendAwsJsonRequest } from '#infra/local/host/aws-request.ts';

type Item = Readonly<Record<string, unknown>>;

/** A row as the database returns it. */
export type StoredRow = Readonly<Record<string, AttributeValue>>;

const Row = z.custom<StoredRow>();
const Page = z.object({ Items: z.array(Row), LastEvaluatedKey: Row.optional() });

/**
 * The items for which `isWanted` returns true, unordered. `environment` has the environment variables of the functions.
 */
export async function itemsOf(
  environment: Readonly<Record<string, string>>,
  isWanted: (item: Item) => boolean,
): Promise<Item[]> {
  return (await storedIn(environment)).map(read).filter(isWanted);
}

/**
 * The items that contain the text, unordered and without counts of use. Only these items are decoded, because decoding
 * takes longer than reading.
 */
export async function itemsWith(environment: Readonly<Record<string, string>>, text: string): Promise<Item[]> {
  return withoutCounts(await storedIn(environment))
    .filter((row) => JSON.stringify(row).includes(text))
    .map(read);
}

/**
 * The rows without counts of use. The service counts a random sample of requests, so tests that compare rows cannot
 * expect these counts to be equal.
 */
export const withoutCounts = (rows: readonly StoredRow[]): StoredRow[] =>
  rows.filter(({ pk }) => !pk?.S?.startsWith('USAGE#'));

/** All rows of the table, unordered. */
export async function storedIn(environment: Readonly<Record<string, string>>): Promise<StoredRow[]> {
  const endpoint = environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '';
  const rows: StoredRow[] = [];
  for (let ExclusiveStartKey: StoredRow | undefined; ; ) {
    const input = { TableName: environment['TABLE_NAME'], ConsistentRead: true, ExclusiveStartKey };
    const { status, body } = await sendAwsJsonRequest({ service: 'dynamodb', endpoint, operation: 'Scan', input });
    if (status !== 200) throw new Error(`The local DynamoDB refused Scan: ${body}`);
    const page = Page.parse(JSON.parse(body));
    rows.push(...page.Items);
    if (!page.LastEvaluatedKey) return rows;
    ExclusiveStartKey = page.LastEvaluatedKey;
  }
}

/** The embedded database returns bytes as Base64. */
const read = (row: StoredRow): Item =>
  unmarshall(
    JSON.parse(JSON.stringify(row), (name, value) =>
      name === 'B' && typeof value === 'string' ? new Uint8Array(Buffer.from(value, 'base64')) : value,
    ),
  );

/**
 * All rows that contain the id of the organization, as sorted lines of JSON. The leases of workers are left out, because
 * a worker takes and returns them after the request that gave it work has been answered.
 */
export async function linesOfOrganization(stage: {
  readonly environment: Readonly<Record<string, string>>;
  readonly organizationId: string;
}): Promise<string[]> {
  const items = await itemsWith(stage.environment, stage.organizationId);
  return items
    .filter(({ pk }) => !String(pk).startsWith('SLOTS#'))
    .map((item) => JSON.stringify(Object.entries(item).sort(), sorted))
    .sort();
}

/** Sorts the entries of maps, because the embedded database returns them in arbitrary order. */
const sorted = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)
    ? Object.fromEntries(Object.entries(value).sort())
    : value;
