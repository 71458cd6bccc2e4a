/** Between plain values and DynamoDB's typed ones, at the border to the SDK. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { Attributes } from './entity.ts';
import { type Changes, type Condition, expression } from './update.ts';

type Typed = Record<string, AttributeValue>;

/** Members without a value are left out, at every depth. */
export const toTyped = (attributes: object): Typed => marshall({ ...attributes }, { removeUndefinedValues: true });

export const fromTyped = (typed: Typed): Attributes => unmarshall(typed);

/** As the table's stream has them: written as JSON, so that bytes are base64. No name of an attribute holds a text itself. */
export const fromStreamed = (image: object): Attributes =>
  fromTyped(
    JSON.parse(JSON.stringify(image), (name, value) =>
      name === 'B' && typeof value === 'string' ? Buffer.from(value, 'base64') : value,
    ),
  );

/** The SDK's expression parameters for a write. */
export function parameters(changes: Changes | undefined, condition: Condition | undefined) {
  const { ExpressionAttributeValues: values, ...texts } = expression(changes, condition);
  return { ...texts, ...(values ? { ExpressionAttributeValues: toTyped(values) } : {}) };
}
