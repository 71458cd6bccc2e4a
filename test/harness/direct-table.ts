/**
 * Connects to the real table of the local database without the signatures, retries and middleware of the AWS SDK. These
 * take most of the time of a call, which matters only in tests with very many calls.
 */
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { documentClient, Table } from '#shared/engine/table/table.ts';
import { fromWire, toWire, typedFromWire } from './attribute-wire.ts';
import { EngineClient } from './engine-socket.ts';

/** The DynamoDB operations by the name of the document client's command. */
const OPERATIONS: Readonly<Record<string, string>> = {
  GetCommand: 'GetItem',
  PutCommand: 'PutItem',
  UpdateCommand: 'UpdateItem',
  QueryCommand: 'Query',
  BatchGetCommand: 'BatchGetItem',
  BatchWriteCommand: 'BatchWriteItem',
  TransactWriteCommand: 'TransactWriteItems',
};

interface Command {
  readonly constructor: { readonly name: string };
  readonly input: object;
}

const Fault = z.object({
  __type: z.string(),
  message: z.string().optional(),
  Item: z.unknown().optional(),
  CancellationReasons: z.array(z.object({ Code: z.string().optional() })).optional(),
});

function errorOf(body: string): Error {
  const { __type: type, message = '', Item, CancellationReasons } = Fault.parse(JSON.parse(body));
  const about = { $metadata: {}, message };
  if (type.endsWith('#ConditionalCheckFailedException')) {
    return new ConditionalCheckFailedException({ ...about, ...(Item ? { Item: typedFromWire(Item) } : {}) });
  }
  if (type.endsWith('#TransactionCanceledException')) {
    return new TransactionCanceledException({ ...about, ...(CancellationReasons ? { CancellationReasons } : {}) });
  }
  return Object.assign(new Error(message), { name: type.split('#').at(-1) ?? type });
}

/** Connects to the table of a service. `environment` is the environment of its functions. */
export function directTable(environment: Readonly<Record<string, string>>): Table {
  const { AWS_ENDPOINT_URL_DYNAMODB: endpoint = '', TABLE_NAME: name = '' } = environment;
  const engine = new EngineClient(endpoint);
  const send = async (command: Command): Promise<unknown> => {
    const { name: kind } = command.constructor;
    const operation = OPERATIONS[kind];
    if (operation === undefined) throw new Error(`Add ${kind} to OPERATIONS in direct-table.ts`);
    const { status, body } = await engine.send(operation, JSON.stringify(toWire(command.input)));
    if (status !== 200) throw errorOf(body);
    return fromWire(JSON.parse(body));
  };
  const client = Object.defineProperty(documentClient(), 'send', { value: send });
  return Table.connect(name, () => Date.now(), client);
}
