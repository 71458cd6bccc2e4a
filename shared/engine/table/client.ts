import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

const MAX_ATTEMPTS = 5;

/** Writes omit members without a value, at every depth. */
export function documentClient(): DynamoDBDocumentClient {
  const client = new DynamoDBClient({ maxAttempts: MAX_ATTEMPTS });
  // This middleware of the SDK copies each request and each response for a logger, even if there is none.
  client.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
