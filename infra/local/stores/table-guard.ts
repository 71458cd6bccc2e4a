/** Enforces the permissions of a function's role on the table, before its requests are sent. */

import http, { type Agent, type ClientRequest } from 'node:http';
import * as z from 'zod';
import type { RefuseCall } from '#infra/local/lambda/role-of-caller.ts';
import { isLike, listServiceStatements, textOrTexts } from '#infra/local/template/role-statements.ts';
import type { Stack, StackResource } from '#infra/local/template/stack.ts';

/** Refuses DynamoDB requests without permission. Relies on the SDK passing the whole body in one call. */
export function guardTable(stack: Stack, fn: StackResource, agents: Set<Agent>): GuardedTable {
  const [table] = stack.resources('AWS::DynamoDB::Table');
  if (!table) throw new Error('The template has no table');
  const refuse = makeRefuse(stack, fn, table.attribute('Arn'));
  const request = (...args: unknown[]): ClientRequest => {
    const clientRequest: ClientRequest & { readonly agent?: Agent } = Reflect.apply(http.request, http, args);
    if (clientRequest.agent) agents.add(clientRequest.agent);
    const end = clientRequest.end;
    const checkedEnd = (...last: unknown[]): ClientRequest => {
      const target = String(clientRequest.getHeader('x-amz-target'));
      const message = target.startsWith('DynamoDB_')
        ? findRefusal(target, parseBody(target, last[0]), refuse)
        : undefined;
      return message === undefined
        ? Reflect.apply(end, clientRequest, last)
        : clientRequest.destroy(new Error(message));
    };
    return Object.defineProperty(clientRequest, 'end', { value: checkedEnd });
  };
  return {
    modules: { http: { ...http, request } },
    refuseCall: (target, request) => findRefusal(target, request, refuse),
  };
}

interface GuardedTable {
  readonly modules: { readonly http: object };
  readonly refuseCall: RefuseCall;
}

function parseBody(target: string, body: unknown): unknown {
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new Error(`The body of ${target} is neither text nor bytes, so it is unknown which rows the request uses`);
  return JSON.parse(Buffer.from(body).toString('utf8'));
}

/** Returns the reason why the role may not send the request, or `undefined` if it may. */
function findRefusal(target: string, request: unknown, refuse: Refuse): string | undefined {
  const uses = listTableUses(target.split('.').at(-1) ?? '', request);
  return uses.map(refuse).find((message) => message !== undefined);
}

// A function's permissions for the table, read from the template and evaluated as IAM does.

const Statement = z.object({
  Effect: z.enum(['Allow', 'Deny']),
  Action: textOrTexts,
  Resource: textOrTexts,
  /** Other condition operators are not supported. */
  Condition: z
    .strictObject({
      'ForAllValues:StringLike': z.strictObject({ 'dynamodb:LeadingKeys': textOrTexts }).optional(),
      'ForAnyValue:StringLike': z.strictObject({ 'dynamodb:LeadingKeys': textOrTexts }).optional(),
    })
    .default({}),
});
type Statement = z.infer<typeof Statement>;

/** Returns `undefined` if the role permits this use of the table, and an error message otherwise. */
export type Refuse = (use: TableUse) => string | undefined;

export function makeRefuse(stack: Stack, fn: StackResource, tableArn: string): Refuse {
  const statements = listServiceStatements('dynamodb', stack, fn).map((statement) => Statement.parse(statement));
  const tableStatements = statements.filter(({ Resource }) => Resource.includes(tableArn));
  return ({ action, keys }) => {
    const applicableStatements = tableStatements.filter(
      (one) => one.Action.includes(action) && isConditionMet(one, keys),
    );
    const isDenied = applicableStatements.some(({ Effect }) => Effect === 'Deny');
    if (!isDenied && applicableStatements.some(({ Effect }) => Effect === 'Allow')) return undefined;
    const why = isDenied ? 'with an explicit deny' : 'because no statement allows it';
    const rows = keys.map((key) => key.split('#')[0]).join(', ');
    return `${fn.reference} is not authorized to perform ${action} on rows of ${rows}, ${why}: add the rows to the access in its declaration`;
  };
}

function isConditionMet({ Condition }: Statement, keys: readonly string[]): boolean {
  const every = Condition['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
  const some = Condition['ForAnyValue:StringLike']?.['dynamodb:LeadingKeys'];
  if (every && !keys.every((key) => every.some((pattern) => isLike(key, pattern)))) return false;
  return !some || keys.some((key) => some.some((pattern) => isLike(key, pattern)));
}

// The IAM actions of a DynamoDB request, each with the partition keys of its rows.

interface TableUse {
  readonly action: string;
  readonly keys: readonly string[];
}

const Row = z.object({ pk: z.object({ S: z.string() }) }).transform(({ pk }) => pk.S);
const ByKey = z.object({ Key: Row }).transform(({ Key }) => [Key]);
const ByItem = z.object({ Item: Row }).transform(({ Item }) => [Item]);

/** The schema that reads a request's partition keys. A part of a transaction, such as `Put`, counts as a `PutItem`. */
const KEYS: Readonly<Record<string, z.ZodType<readonly string[]>>> = {
  GetItem: ByKey,
  PutItem: ByItem,
  UpdateItem: ByKey,
  DeleteItem: ByKey,
  ConditionCheckItem: ByKey,
  Query: z
    .object({
      KeyConditionExpression: z.string().regex(/^pk = :pk( |$)/),
      ExpressionAttributeValues: z.object({ ':pk': z.object({ S: z.string() }) }),
    })
    .transform(({ ExpressionAttributeValues }) => [ExpressionAttributeValues[':pk'].S]),
  BatchGetItem: z
    .object({ RequestItems: z.record(z.string(), z.object({ Keys: z.array(Row) })) })
    .transform(({ RequestItems }) => Object.values(RequestItems).flatMap(({ Keys }) => Keys)),
  BatchWriteItem: z
    .object({
      RequestItems: z.record(
        z.string(),
        z.array(z.union([z.object({ PutRequest: ByItem }), z.object({ DeleteRequest: ByKey })])),
      ),
    })
    .transform(({ RequestItems }) =>
      Object.values(RequestItems)
        .flat()
        .flatMap((one) => ('PutRequest' in one ? one.PutRequest : one.DeleteRequest)),
    ),
};

/** Each part has one member, such as `Put`. */
const Transaction = z.object({ TransactItems: z.array(z.record(z.string(), z.unknown())) });

/** IAM checks each part of a transaction separately, other requests once. Throws on an unknown operation. */
export function listTableUses(operation: string, input: unknown): readonly TableUse[] {
  if (operation === 'TransactWriteItems')
    return Transaction.parse(input)
      .TransactItems.flatMap((part) => Object.entries(part))
      .flatMap(([name, request]) => listTableUses(`${name}Item`, request));
  const keys = KEYS[operation];
  if (!keys)
    throw new Error(
      `The local runner does not know which rows ${operation} uses: add the operation to infra/local/stores/table-guard.ts`,
    );
  return [{ action: `dynamodb:${operation}`, keys: keys.parse(input) }];
}
