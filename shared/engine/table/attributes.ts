/** Converts DynamoDB's typed values in errors and in stream events, where the document client does not convert them. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Attributes } from './entity.ts';

export const parseTypedValues = (values: Record<string, AttributeValue>): Attributes => unmarshall(values);

/**
 * Converts a row in a stream event. Stream events are JSON, so bytes arrive as a base64 string in a member `B`. The
 * value of an attribute named `B` is an object, such as `{S: 'text'}`, so it is not mistaken for bytes.
 */
export const parseStreamImage = (image: object): Attributes =>
  parseTypedValues(
    JSON.parse(JSON.stringify(image), (name, value) =>
      name === 'B' && typeof value === 'string' ? Buffer.from(value, 'base64') : value,
    ),
  );
