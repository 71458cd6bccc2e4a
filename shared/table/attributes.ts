/** Between plain values and DynamoDB's typed ones, at the border to the SDK. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { Attributes } from './entity.ts';
import { type Changes, type Condition, expression } from './update.ts';

type Typed = Record<string, AttributeValue>;

/** Members without a value are left out, at every depth. */
export const toTyped = (attributes: object): Typed => marshall({ ...attributes }, { removeUndefinedValues: true });

export const fromTyped = (typed: Typed): Attributes => unmarshall(typed);

/** The SDK's expression parameters for a write. */
export function parameters(changes: Changes | undefined, condition: Condition | undefined) {
  const { ExpressionAttributeValues: values, ...texts } = expression(changes, condition);
  return { ...texts, ...(values ? { ExpressionAttributeValues: toTyped(values) } : {}) };
}
