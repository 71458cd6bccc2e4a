/** Converts DynamoDB's typed values where the document client does not: in errors and in stream events. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Attributes } from './entity.ts';

export const fromTyped = (typed: Record<string, AttributeValue>): Attributes => unmarshall(typed);

/**
 * Converts a row in a stream event. Stream events are JSON, so bytes are base64. No attribute of ours is named `B` and
 * contains a string.
 */
export const fromStreamed = (image: object): Attributes =>
  fromTyped(
    JSON.parse(JSON.stringify(image), (name, value) =>
      name === 'B' && typeof value === 'string' ? Buffer.from(value, 'base64') : value,
    ),
  );
