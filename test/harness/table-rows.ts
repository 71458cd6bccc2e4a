/** Reads table rows directly from the database. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';

type Item = Readonly<Record<string, unknown>>;

/** The selected items, unordered. `environment` is that of the functions. */
export async function itemsOf(
  environment: Readonly<Record<string, string>>,
  isWanted: (item: Item) => boolean,
): Promise<Item[]> {
  const client = connect(environment);
  const items: Item[] = [];
  for await (const page of paginateScan({ client }, { TableName: environment['TABLE_NAME'], ConsistentRead: true })) {
    items.push(...(page.Items ?? []).filter(isWanted));
  }
  client.destroy();
  return items;
}

/** Every row of the organization as sorted lines of JSON. */
export async function linesOfOrganization(stage: {
  readonly environment: Readonly<Record<string, string>>;
  readonly organizationId: string;
}): Promise<string[]> {
  const items = await itemsOf(stage.environment, (item) => JSON.stringify(item).includes(stage.organizationId));
  return items.map((item) => JSON.stringify(Object.entries(item).sort(), sorted)).sort();
}

/** The engine returns the entries of a map in any order. */
const sorted = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)
    ? Object.fromEntries(Object.entries(value).sort())
    : value;

/** Works in any process, not only in one with the service's environment. */
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
