import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

import { TABLE_LIMITS } from './limits.ts';

const MAX_ATTEMPTS = 5;

/**
 * Writes omit `undefined` members at every depth. A call without a response is retried after `callMilliseconds`.
 * Without that timeout, it would hang until the function is killed.
 */
export function documentClient(callMilliseconds: number = TABLE_LIMITS.callMilliseconds): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: TABLE_LIMITS.connectMilliseconds,
      requestTimeout: callMilliseconds,
      throwOnRequestTimeout: true,
    },
  });
  // This middleware of the SDK copies each request and response for a logger, even if there is none.
  client.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
