/** The IAM actions of a DynamoDB request, each with the partition keys of its rows. */
import * as z from 'zod';

export interface TableUse {
  readonly action: string;
  readonly keys: readonly string[];
}

const Row = z.object({ pk: z.object({ S: z.string() }) }).transform(({ pk }) => pk.S);
const ByKey = z.object({ Key: Row }).transform(({ Key }) => [Key]);
const ByItem = z.object({ Item: Row }).transform(({ Item }) => [Item]);

/** The schema that reads a request's partition keys. A part of a transaction, such as `Put`, counts as a `PutItem`. */
const KEYS: Readonly<Record<string, z.ZodType<readonly string[]>>> = {
  GetItem: ByKey,
  PutItem: ByItem,
  UpdateItem: ByKey,
  DeleteItem: ByKey,
  ConditionCheckItem: ByKey,
  Query: z
    .object({
      KeyConditionExpression: z.string().regex(/^pk = :pk( |$)/),
      ExpressionAttributeValues: z.object({ ':pk': z.object({ S: z.string() }) }),
    })
    .transform(({ ExpressionAttributeValues }) => [ExpressionAttributeValues[':pk'].S]),
  BatchGetItem: z
    .object({ RequestItems: z.record(z.string(), z.object({ Keys: z.array(Row) })) })
    .transform(({ RequestItems }) => Object.values(RequestItems).flatMap(({ Keys }) => Keys)),
  BatchWriteItem: z
    .object({
      RequestItems: z.record(
        z.string(),
        z.array(z.union([z.object({ PutRequest: ByItem }), z.object({ DeleteRequest: ByKey })])),
      ),
    })
    .transform(({ RequestItems }) =>
      Object.values(RequestItems)
        .flat()
        .flatMap((one) => ('PutRequest' in one ? one.PutRequest : one.DeleteRequest)),
    ),
};

/** Each part has one member, such as `Put`. */
const Transaction = z.object({ TransactItems: z.array(z.record(z.string(), z.unknown())) });

/** IAM checks each part of a transaction separately, other requests once. Throws on an unknown operation. */
export function listTableUses(operation: string, input: unknown): readonly TableUse[] {
  if (operation === 'TransactWriteItems')
    return Transaction.parse(input)
      .TransactItems.flatMap((part) => Object.entries(part))
      .flatMap(([name, request]) => listTableUses(`${name}Item`, request));
  const keys = KEYS[operation];
  if (!keys)
    throw new Error(
      `The local runner does not know which rows ${operation} uses: add the operation to infra/local/stores/table-uses.ts`,
    );
  return [{ action: `dynamodb:${operation}`, keys: keys.parse(input) }];
}
