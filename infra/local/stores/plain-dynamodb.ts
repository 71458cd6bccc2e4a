/**
 * Calls the embedded DynamoDB without the signatures and the middleware of the AWS SDK, which take most of the CPU time
 * of a call. In the packages that functions share, this file replaces `@aws-sdk/lib-dynamodb`, so it exports what the
 * product imports from there. Errors, and the decision which of them are retried, are those of the SDK.
 */
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import { isServerError, isThrottlingError, isTransientError, StandardRetryStrategy } from '@smithy/core/retry';
import * as z from 'zod';
import { noteWrite, refuseCall } from '#infra/local/lambda/role-of-caller.ts';
import { TABLE_LIMITS } from '#shared/engine/table/limits.ts';
import { fromWire, toWire, typedFromWire } from './attribute-wire.ts';
import { post } from './kept-connection.ts';

const Fault = z.object({
  __type: z.string(),
  message: z.string().optional(),
  Item: z.unknown().optional(),
  CancellationReasons: z.array(z.object({ Code: z.string().optional() })).optional(),
});

/**
 * Sends a request with plain values, and returns the plain values of the response. Throws the errors of the SDK, and if
 * the role of the function that calls may not send the request.
 */
export async function callDynamoDb(endpoint: string, operation: string, input: object): Promise<unknown> {
  const target = `DynamoDB_20120810.${operation}`;
  const request = toWire(input);
  const refusal = refuseCall(target, request);
  if (refusal !== undefined) throw new Error(refusal);
  const text = JSON.stringify(request);
  const response = await sendDespiteFaults(endpoint, target, text);
  if (operation.includes('Write') || operation === 'PutItem' || operation === 'UpdateItem') noteWrite(text);
  return fromWire(JSON.parse(response));
}

const strategy = new StandardRetryStrategy(TABLE_LIMITS.callAttempts);

/** Returns the body of the response. Throws the last error if no attempt succeeded. */
async function sendDespiteFaults(endpoint: string, target: string, request: string): Promise<string> {
  let token: RetryToken | undefined;
  for (;;) {
    const outcome = await attempt(endpoint, target, request);
    if ('body' in outcome) {
      if (token) strategy.recordSuccess(token);
      return outcome.body;
    }
    const { error, errorType } = outcome;
    token ??= await strategy.acquireInitialRetryToken('');
    // It waits before it resolves, and rejects if there may be no further attempt.
    const nextToken = await strategy.refreshRetryTokenForRetry(token, { errorType }).catch(() => undefined);
    if (nextToken === undefined) throw error;
    token = nextToken;
  }
}

type RetryErrorType = Parameters<StandardRetryStrategy['refreshRetryTokenForRetry']>[1]['errorType'];
type RetryToken = Awaited<ReturnType<StandardRetryStrategy['acquireInitialRetryToken']>>;
type Outcome = { readonly body: string } | { readonly error: Error; readonly errorType: RetryErrorType };

async function attempt(endpoint: string, target: string, request: string): Promise<Outcome> {
  try {
    const { status, body } = await post(endpoint, `x-amz-target: ${target}\r\n${HEADERS}`, request);
    if (status === 200) return { body };
    const error = parseError(status, body);
    return { error, errorType: classify(error.name, status) };
  } catch (error) {
    // The connection was refused or closed, or the time was up.
    return { error: error instanceof Error ? error : new Error(String(error)), errorType: 'TRANSIENT' };
  }
}

function classify(name: string, httpStatusCode: number): RetryErrorType {
  const fault = { name, message: '', $metadata: { httpStatusCode } };
  if (isThrottlingError(fault)) return 'THROTTLING';
  if (isTransientError(fault)) return 'TRANSIENT';
  return isServerError(fault) ? 'SERVER_ERROR' : 'CLIENT_ERROR';
}

/** The engine checks that a request is signed, but not the signature. */
const HEADERS = [
  'content-type: application/x-amz-json-1.0',
  'x-amz-date: 20261102T100000Z',
  'authorization: AWS4-HMAC-SHA256 Credential=local/20261102/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
]
  .map((line) => `${line}\r\n`)
  .join('');

function parseError(httpStatusCode: number, text: string): Error {
  const { __type: type, message = '', Item, CancellationReasons } = Fault.parse(JSON.parse(text));
  const name = type.split('#').at(-1) ?? type;
  const about = { $metadata: { httpStatusCode }, message };
  switch (name) {
    case 'ConditionalCheckFailedException':
      return new ConditionalCheckFailedException({ ...about, ...(Item ? { Item: typedFromWire(Item) } : {}) });
    case 'TransactionCanceledException':
      return new TransactionCanceledException({ ...about, ...(CancellationReasons ? { CancellationReasons } : {}) });
    case 'TransactionInProgressException':
      return new TransactionInProgressException({ ...about, Message: message });
    default:
      return Object.assign(new Error(message), { name, $metadata: { httpStatusCode } });
  }
}

/** The operations of DynamoDB by the names of the commands in the SDK. */
export const OPERATIONS = {
  GetCommand: 'GetItem',
  PutCommand: 'PutItem',
  UpdateCommand: 'UpdateItem',
  QueryCommand: 'Query',
  BatchGetCommand: 'BatchGetItem',
  BatchWriteCommand: 'BatchWriteItem',
  TransactWriteCommand: 'TransactWriteItems',
} as const;

const command = (name: keyof typeof OPERATIONS) =>
  class {
    readonly operation = OPERATIONS[name];
    readonly input: object;

    constructor(input: object) {
      this.input = input;
    }
  };

export const GetCommand = command('GetCommand');
export const PutCommand = command('PutCommand');
export const UpdateCommand = command('UpdateCommand');
export const QueryCommand = command('QueryCommand');
export const BatchGetCommand = command('BatchGetCommand');
export const BatchWriteCommand = command('BatchWriteCommand');
export const TransactWriteCommand = command('TransactWriteCommand');

export class DynamoDBDocumentClient {
  /** The endpoint is read at each call, because functions share this code, but not their environment. */
  static from(): DynamoDBDocumentClient {
    return new DynamoDBDocumentClient();
  }

  send({ operation, input }: InstanceType<ReturnType<typeof command>>): Promise<unknown> {
    return callDynamoDb(process.env['AWS_ENDPOINT_URL_DYNAMODB'] ?? '', operation, input);
  }
}
