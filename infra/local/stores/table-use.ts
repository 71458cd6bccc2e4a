/** The IAM actions of a DynamoDB request, each with the partition keys of its rows. */
import * as z from 'zod';

export interface TableUse {
  readonly action: string;
  readonly keys: readonly string[];
}

const Row = z.object({ pk: z.object({ S: z.string() }) }).transform(({ pk }) => pk.S);
const ByKey = z.object({ Key: Row }).transform(({ Key }) => Key);
const ByItem = z.object({ Item: Row }).transform(({ Item }) => Item);

const Query = z
  .object({
    KeyConditionExpression: z.string().regex(/^pk = :pk( |$)/),
    ExpressionAttributeValues: z.object({ ':pk': z.object({ S: z.string() }) }),
  })
  .transform(({ ExpressionAttributeValues }) => [ExpressionAttributeValues[':pk'].S]);

const BatchGet = z
  .object({ RequestItems: z.record(z.string(), z.object({ Keys: z.array(Row) })) })
  .transform(({ RequestItems }) => Object.values(RequestItems).flatMap(({ Keys }) => Keys));

const BatchWrite = z
  .object({
    RequestItems: z.record(
      z.string(),
      z.array(z.union([z.object({ PutRequest: ByItem }), z.object({ DeleteRequest: ByKey })])),
    ),
  })
  .transform(({ RequestItems }) =>
    Object.values(RequestItems)
      .flat()
      .map((one) => ('PutRequest' in one ? one.PutRequest : one.DeleteRequest)),
  );

const Part = z.union([
  z.object({ Put: ByItem }).transform(({ Put }) => ({ action: 'dynamodb:PutItem', keys: [Put] })),
  z.object({ Update: ByKey }).transform(({ Update }) => ({ action: 'dynamodb:UpdateItem', keys: [Update] })),
  z.object({ Delete: ByKey }).transform(({ Delete }) => ({ action: 'dynamodb:DeleteItem', keys: [Delete] })),
  z
    .object({ ConditionCheck: ByKey })
    .transform(({ ConditionCheck }) => ({ action: 'dynamodb:ConditionCheckItem', keys: [ConditionCheck] })),
]);
const Transaction = z.object({ TransactItems: z.array(Part) }).transform(({ TransactItems }) => TransactItems);

const KEYS: Readonly<Record<string, z.ZodType<readonly string[]>>> = {
  GetItem: ByKey.transform((key) => [key]),
  PutItem: ByItem.transform((key) => [key]),
  UpdateItem: ByKey.transform((key) => [key]),
  DeleteItem: ByKey.transform((key) => [key]),
  Query,
  BatchGetItem: BatchGet,
  BatchWriteItem: BatchWrite,
};

/**
 * The uses of the table that IAM checks for a request. IAM checks each part of a transaction separately, and other
 * requests once. Throws on an unknown operation.
 */
export function usesOf(operation: string, input: unknown): readonly TableUse[] {
  if (operation === 'TransactWriteItems') return Transaction.parse(input);
  const keys = KEYS[operation];
  if (!keys) throw new Error(`The local runner does not know which rows ${operation} uses: add it to table-use.ts`);
  return [{ action: `dynamodb:${operation}`, keys: keys.parse(input) }];
}
