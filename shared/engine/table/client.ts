import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

const MAX_ATTEMPTS = 5;

/** Writes omit members without a value, at every depth. */
export const documentClient = (): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: MAX_ATTEMPTS }), {
    marshallOptions: { removeUndefinedValues: true },
  });
