/** Enforces a function's role on the table, by checking its requests before they are sent. */
import http, { type Agent, type ClientRequest } from 'node:http';
import type { Stack, StackResource } from '#infra/local/template/stack.ts';
import { type Refuse, refusalsFor } from './table-permissions.ts';
import { usesOf } from './table-use.ts';

/** Replacement of `node:http` in which DynamoDB requests without permission fail. Adds their agents to `agents`. */
export function guardedModules(stack: Stack, fn: StackResource, agents: Set<Agent>): { readonly http: object } {
  const [table] = stack.resources('AWS::DynamoDB::Table');
  if (!table) throw new Error('The template has no table');
  const refuse = refusalsFor(stack, fn, table.attribute('Arn'));
  const request = (...given: unknown[]): ClientRequest => {
    const made: ClientRequest & { readonly agent?: Agent } = Reflect.apply(http.request, http, given);
    if (made.agent) agents.add(made.agent);
    return guarded(made, refuse);
  };
  return { http: { ...http, request } };
}

function guarded(request: ClientRequest, refuse: Refuse): ClientRequest {
  const end = request.end;
  const checked = (...given: unknown[]): ClientRequest => {
    const target = String(request.getHeader('x-amz-target'));
    const message = target.startsWith('DynamoDB_') ? refusalOf(target, given[0], refuse) : undefined;
    return message === undefined ? Reflect.apply(end, request, given) : request.destroy(new Error(message));
  };
  return Object.defineProperty(request, 'end', { value: checked });
}

/** Why the role may not send the request, if it may not. Relies on the SDK passing the whole body at once. */
function refusalOf(target: string, body: unknown, refuse: Refuse): string | undefined {
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new Error(`The body of ${target} is neither text nor bytes, so its permissions cannot be checked`);
  const uses = usesOf(target.split('.').at(-1) ?? '', JSON.parse(Buffer.from(body).toString('utf8')));
  return uses.map(refuse).find((message) => message !== undefined);
}
