/**
 * Calls the embedded DynamoDB without the signatures, retries and middleware of the AWS SDK, which take most of the CPU
 * time of a call. In the packages that the functions under test share, this file replaces `@aws-sdk/lib-dynamodb`, so it
 * exports what the product imports from there.
 */
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { refuseCall } from '#infra/local/lambda/role-of-caller.ts';
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
  const sent = toWire(input);
  const refusal = refuseCall(target, sent);
  if (refusal !== undefined) throw new Error(refusal);
  const { status, body } = await post(endpoint, `x-amz-target: ${target}\r\n${HEADERS}`, JSON.stringify(sent));
  if (status !== 200) throw errorOf(body);
  return fromWire(JSON.parse(body));
}

/** The engine checks that a request is signed, but not the signature. */
const HEADERS = [
  'content-type: application/x-amz-json-1.0',
  'x-amz-date: 20261102T100000Z',
  'authorization: AWS4-HMAC-SHA256 Credential=local/20261102/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
]
  .map((line) => `${line}\r\n`)
  .join('');

function errorOf(body: string): Error {
  const { __type: type, message = '', Item, CancellationReasons } = Fault.parse(JSON.parse(body));
  const name = type.split('#').at(-1) ?? type;
  const about = { $metadata: {}, message };
  switch (name) {
    case 'ConditionalCheckFailedException':
      return new ConditionalCheckFailedException({ ...about, ...(Item ? { Item: typedFromWire(Item) } : {}) });
    case 'TransactionCanceledException':
      return new TransactionCanceledException({ ...about, ...(CancellationReasons ? { CancellationReasons } : {}) });
    case 'TransactionInProgressException':
      return new TransactionInProgressException({ ...about, Message: message });
    default:
      return Object.assign(new Error(message), { name });
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
