/** Connects to the real table of the local database without the AWS SDK, for tests with very many calls. */
import { callDynamoDb, OPERATIONS } from '#infra/local/stores/plain-dynamodb.ts';
import { makeDocumentClient, Table } from '#shared/engine/table/table.ts';

interface Command {
  readonly constructor: { readonly name: string };
  readonly input: object;
}

/** Connects to the table of a service. `environment` is the environment of its functions. */
export function directTable(environment: Readonly<Record<string, string>>): Table {
  const { AWS_ENDPOINT_URL_DYNAMODB: endpoint = '', TABLE_NAME: name = '' } = environment;
  const send = async (command: Command): Promise<unknown> => {
    const { name: kind } = command.constructor;
    const operation: string | undefined = Reflect.get(OPERATIONS, kind);
    if (operation === undefined) throw new Error(`Add ${kind} to OPERATIONS in plain-dynamodb.ts`);
    return callDynamoDb(endpoint, operation, command.input);
  };
  const client = Object.defineProperty(makeDocumentClient(), 'send', { value: send });
  return new Table(name, () => Date.now(), client);
}
