/** Counts the rows of a table, and their bytes by DynamoDB's size rules. */
import { type AttributeValue, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { BenchService } from './bench-service.ts';

export interface TableRows {
  readonly rows: number;
  /** The number of `DUE#` and `PENDING#` rows, which schedule work. A sweep removes each row when its work is done. */
  readonly scheduled: number;
  /**
   * The number of `USAGE#` rows, which count requests. One in 32 requests is counted, and chance decides which one is
   * the first, so these rows may appear at any request.
   */
  readonly usage: number;
  readonly bytes: number;
}

export async function rowsIn({ tableName }: BenchService): Promise<TableRows> {
  const client = new DynamoDBClient({});
  let total = { rows: 0, scheduled: 0, usage: 0, bytes: 0 };
  let ExclusiveStartKey: Record<string, AttributeValue> | undefined;
  do {
    const page = await client.send(new ScanCommand({ TableName: tableName, ExclusiveStartKey }));
    const items = page.Items ?? [];
    const countIn = (partitions: RegExp) => items.filter(({ pk }) => partitions.test(pk?.S ?? '')).length;
    total = {
      rows: total.rows + items.length,
      scheduled: total.scheduled + countIn(/^(DUE|PENDING)#/),
      usage: total.usage + countIn(/^USAGE#/),
      bytes: items.reduce((sum, item) => sum + fieldBytes(item), total.bytes),
    };
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  client.destroy();
  return total;
}

const fieldBytes = (fields: Readonly<Record<string, AttributeValue>>): number =>
  Object.entries(fields).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);

/** The size of a value in bytes. A list or map takes 3 bytes, and 1 more byte per element. */
function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return Math.ceil(value.N.length / 2) + 1;
  if (value.B !== undefined) return value.B.length;
  if (value.L !== undefined) return value.L.reduce((sum, element) => sum + 1 + valueBytes(element), 3);
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + fieldBytes(value.M);
  return 1;
}
