/** Enforces the permissions of a function's role on the table, before its requests are sent. */

import http, { type Agent, type ClientRequest } from 'node:http';
import type { RefuseCall } from '#infra/local/lambda/role-of-caller.ts';
import type { Stack, StackResource } from '#infra/local/template/stack.ts';
import { type FindRefusal, makePermissionCheck } from './table-permissions.ts';
import { listTableUses } from './table-uses.ts';

/** Refuses DynamoDB requests without permission. Relies on the SDK passing the whole body in one call. */
export function guardTable(stack: Stack, fn: StackResource, agents: Set<Agent>): GuardedTable {
  const [table] = stack.resources('AWS::DynamoDB::Table');
  if (!table) throw new Error('The template has no table');
  const findUseRefusal = makePermissionCheck(stack, fn, table.attribute('Arn'));
  const request = (...args: unknown[]): ClientRequest => {
    const clientRequest: ClientRequest & { readonly agent?: Agent } = Reflect.apply(http.request, http, args);
    if (clientRequest.agent) agents.add(clientRequest.agent);
    const end = clientRequest.end;
    const checkedEnd = (...last: unknown[]): ClientRequest => {
      const target = String(clientRequest.getHeader('x-amz-target'));
      const message = target.startsWith('DynamoDB_')
        ? findRefusal(target, parseBody(target, last[0]), findUseRefusal)
        : undefined;
      return message === undefined
        ? Reflect.apply(end, clientRequest, last)
        : clientRequest.destroy(new Error(message));
    };
    return Object.defineProperty(clientRequest, 'end', { value: checkedEnd });
  };
  return {
    modules: { http: { ...http, request } },
    refuseCall: (target, request) => findRefusal(target, request, findUseRefusal),
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
function findRefusal(target: string, request: unknown, findUseRefusal: FindRefusal): string | undefined {
  const uses = listTableUses(target.split('.').at(-1) ?? '', request);
  return uses.map(findUseRefusal).find((message) => message !== undefined);
}
