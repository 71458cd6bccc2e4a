/** One declaration per endpoint. Route, Lambda, permission, parsing, refusals, envelope and OpenAPI all derive from it. */
import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type * as z from 'zod';
import type { Caller } from './credentials/caller.ts';
import type { CallerFromBody } from './credentials/from-body.ts';
import { type Declaration, declarationOf, type Method, type Request, type Specification } from './declaration.ts';
import { malformedJson } from './errors.ts';
import { type Answer, answerWith, errorAnswer, Markdown } from './http/answer.ts';
import { refuseDeep } from './http/body.ts';
import { header, type ProxyEvent } from './http/event.ts';
import { type QuerySchema, readQuery } from './http/query.ts';
import { logRequest } from './log.ts';
import { callerFromContext, decodeRequestBody, deprecationHeaders, validated } from './request.ts';
import type { Requirement } from './resources/permissions.ts';
import { connectOnce, type Services } from './services.ts';

// biome-ignore format: one line says it
export function endpoint<const Route extends `${Method} /${string}`, const Permission extends Requirement, Response extends z.ZodType, Query extends QuerySchema = z.ZodObject<Record<never, never>>, Body extends z.ZodType = z.ZodUndefined>(
  specification: Specification<Route, Permission, Query, Body, Response>,
) {
  const declaration = declarationOf(specification);
  const connect = connectOnce();

  const run = async (event: ProxyEvent): Promise<Answer> => {
    const services = connect();
    const caller = await callerOf(event, { ...declaration, fromBody: specification.credential }, services);
    const { request, deprecated } = requestOf<Request<Route, Permission, z.output<Query>, z.output<Body>>>(event, declaration, caller);
    const result = await specification.handle(request, services);
    const body = result instanceof Markdown ? result : declaration.response.parse(result);
    const answer = answerWith(declaration.success, body, header(event, 'accept-encoding') ?? '', {
      headers: {
        'x-request-id': event.requestContext.requestId,
        ...deprecationHeaders(deprecated, services.origin),
        ...(declaration.markdown ? { Vary: 'Accept, Accept-Encoding' } : {}),
      },
      limit: specification.limit,
    });
    logRequest({ ...declaration, event, caller, meter: services.table.meter, statusCode: answer.statusCode });
    return answer;
  };

  return Object.assign(withMiddlewares(run, declaration), { declaration });
}

/** §7 on the way out, credentials before everything on the way in, and a parser only where a body is declared. */
function withMiddlewares(run: (event: ProxyEvent) => Promise<Answer>, declaration: Declaration) {
  const chain = middy<ProxyEvent, Answer>(run);
  chain.use(httpErrorHandler({ logger: false }));
  chain.onError((request) => {
    const { event } = request;
    const answer = errorAnswer(refusalOf(request.error), event.requestContext.requestId);
    logRequest({ ...declaration, event, statusCode: answer.statusCode, error: refusalOf(request.error) });
    Object.assign(request, { error: answer });
  });
  if (declaration.credential === 'header') chain.before(({ event }) => void callerFromContext(event));
  if (declaration.body) {
    chain.before(({ event }) => decodeRequestBody(event));
    chain.use(httpJsonBodyParser({ disableContentTypeCheck: true }));
    chain.before(({ event }) => refuseDeep(event.body));
  }
  return chain;
}

/** The body parser's own errors carry a 4xx status (422, 415) that §7 does not know. */
const refusalOf = (error: unknown): unknown =>
  error instanceof Error && 'cause' in error && isFrom(error.cause, '@middy/http-json-body-parser')
    ? malformedJson()
    : error;

const isFrom = (cause: unknown, name: string): boolean =>
  typeof cause === 'object' && cause !== null && 'package' in cause && cause.package === name;

async function callerOf(
  event: ProxyEvent,
  { permission, callers, credential, fromBody }: Declaration & { readonly fromBody: CallerFromBody | undefined },
  services: Services,
): Promise<Caller | undefined> {
  if (credential === 'none') return undefined;
  return fromBody ? fromBody(services, event, { permission, callers }) : callerFromContext(event);
}

/**
 * The one cast of the engine: the schemas of a declaration are the ones its handler's types were inferred from, but
 * `Declaration` is a type for all endpoints alike and no longer says so.
 */
function requestOf<Typed>(event: ProxyEvent, declaration: Declaration, caller: Caller | undefined) {
  const path = validated(declaration.pathParameters, event.pathParameters ?? {});
  const { values, deprecated } = readQuery(declaration.query, event.multiValueQueryStringParameters ?? {});
  const query = validated(declaration.query, values);
  const body = declaration.body && validated(declaration.body, event.body);
  const known = { path, query, body, sent: event.body, caller, header: (name: string) => header(event, name) };
  return { request: known as Typed, deprecated };
}
