/**
 * Calls the embedded DynamoDB without the signatures, retries and middleware of the AWS SDK, which take most of the CPU
 * time of a call. In the packages that the functions under test share, this file replaces `@aws-sdk/lib-dynamodb`, so it
 * exports what the product imports from there.
 */
import { Agent, request } from 'node:http';
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { fromWire, toWire, typedFromWire } from './attribute-wire.ts';

const Fault = z.object({
  __type: z.string(),
  message: z.string().optional(),
  Item: z.unknown().optional(),
  CancellationReasons: z.array(z.object({ Code: z.string().optional() })).optional(),
});

/** Sends a request with plain values, and returns the plain values of the response. Throws the errors of the SDK. */
export async function callDynamoDb(endpoint: string, operation: string, input: object): Promise<unknown> {
  const { status, body } = await post(endpoint, operation, JSON.stringify(toWire(input)));
  if (status !== 200) throw errorOf(body);
  return fromWire(JSON.parse(body));
}

const AGENT = new Agent({ keepAlive: true });

interface Answer {
  readonly status: number;
  readonly body: string;
}

function post(endpoint: string, operation: string, body: string): Promise<Answer> {
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(body),
    'x-amz-target': `DynamoDB_20120810.${operation}`,
    'x-amz-date': '20261102T100000Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=local/20261102/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  };
  return new Promise((resolve, reject) => {
    const call = request(endpoint, { method: 'POST', agent: AGENT, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(parts).toString() }));
      answer.on('error', reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}

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
