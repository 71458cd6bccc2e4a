/**
 * Declares a consumer of new rows (DynamoDB stream). The event source mapping, its filter, the Lambda function, its
 * role and its alarms are generated from the declaration.
 */
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { parseStreamImage } from '#shared/engine/table/attributes.ts';
import type { Attributes } from '#shared/engine/table/entity.ts';
import type { Services } from '#shared/services.ts';
import type { Access } from './access.ts';
import { connectOnce } from './connect.ts';
import { logFailure, logNotes } from './log.ts';
import type { Outlet } from './outlets.ts';

export interface StreamDeclaration {
  /** The name of the source file, in camelCase. */
  readonly name: string;
  /** The partition key prefix of the rows that the consumer handles. */
  readonly rows: string;
  readonly access: Access;
  readonly sends?: readonly Outlet[];
  readonly summary: string;
  /** Timeout of one invocation, which may handle several rows. */
  readonly timeoutSeconds: number;
}

interface Specification extends StreamDeclaration {
  /**
   * Handles a row. Must be idempotent, because delivery is at least once. After an error, Lambda delivers the row and
   * the rows after it again, until the row succeeds or its retries are used up. Returns notes to be logged.
   */
  readonly handle: (row: Attributes, services: Services) => Promise<readonly object[]>;
}

export function stream({ handle, ...declaration }: Specification) {
  const connect = connectOnce();

  /** Returns false if the row could not be handled. */
  const attempt = async ({ dynamodb = {} }: DynamoDBRecord): Promise<boolean> => {
    const record = { stream: declaration.name, sequenceNumber: dynamodb.SequenceNumber };
    try {
      // The rows say what caused them.
      const notes = await handle(parseStreamImage(dynamodb.NewImage ?? {}), connect(undefined));
      logNotes('record handled', record, notes);
      return true;
    } catch (error) {
      logFailure('record failed', record, error);
      return false;
    }
  };

  const handler = async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    for (const record of Records) {
      // Stops at the first row that fails. Lambda resumes at that row, so rows are handled in order.
      const itemIdentifier = record.dynamodb?.SequenceNumber ?? '';
      if (!(await attempt(record))) return { batchItemFailures: [{ itemIdentifier }] };
    }
    return { batchItemFailures: [] };
  };

  return Object.assign(handler, { stream: declaration satisfies StreamDeclaration });
}
