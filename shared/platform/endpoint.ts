/**
 * Declares an endpoint. The route, the Lambda function, the permission check, parsing, error responses, the response
 * envelope and the OpenAPI document are all derived from it.
 */
import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type * as z from 'zod';
import type { Requirement } from '#shared/access/actions.ts';
import type { ApiActor } from '#shared/access/actor.ts';
import { malformedJson } from '#shared/engine/errors.ts';
import { answerWith, errorAnswer, type HttpAnswer, notModified } from '#shared/engine/http/answer.ts';
import { Content, entityTag } from '#shared/engine/http/content.ts';
import { header, type ProxyEvent } from '#shared/engine/http/event.ts';
import { asSent, type QuerySchema, readQuery } from '#shared/engine/http/query.ts';
import { versionHeader } from '#shared/engine/http/version-header.ts';
import type { ToolSpecification } from '#shared/mcp/tool.ts';
import type { Services } from '#shared/services.ts';
import { connectOnce } from './connect.ts';
import {
  type Declaration,
  declarationOf,
  type Method,
  type Parts,
  type Request,
  type Specification,
} from './declaration.ts';
import { logRequest } from './log.ts';
import { actorFromContext, decodeRequestBody, deprecationHeaders, parseForm, takeBytes, validated } from './request.ts';

// biome-ignore format: five type parameters
export function endpoint<const Route extends `${Method} /${string}`, const Permission extends Requirement, Response extends z.ZodType = z.ZodNever, Query extends QuerySchema = z.ZodObject<Record<never, never>>, Body extends z.ZodType = z.ZodUndefined>(
  specification: Specification<Route, Permission, Query, Body, Response>,
) {
  const declaration = declarationOf(specification);
  const { answers } = declaration;
  /** Whether the `Accept` header determines the kind of response. */
  const isNegotiated = answers.includes('json') && answers.includes('markdown');
  const connect = connectOnce();
  const actors = new WeakMap<ProxyEvent, ApiActor>();

  const identify = async (event: ProxyEvent): Promise<void> => {
    const { permission, credential } = declaration;
    if (credential === 'none' || permission === 'public') return;
    const fromBody = specification.credential;
    actors.set(event, fromBody ? await fromBody(connect(), event, permission) : actorFromContext(event));
  };
  const respond = async (parts: Parts, services: Services) => {
    const whole = { ...parts, caller: callerOf(parts) };
    const request = typed<Request<Route, Permission, z.output<Query>, z.output<Body>>>(whole);
    const result = checked(await specification.handle(request, services), declaration, specification.response);
    return { result, limit: specification.limit?.(request.query) ?? { what: 'The answer', remedies: [] } };
  };
  const run = async (event: ProxyEvent): Promise<HttpAnswer> => {
    const services = connect();
    const actor = actors.get(event);
    const { parts, deprecated } = partsOf(event, declaration, actor);
    const { result, limit } = await respond(parts, services);
    const tag = declaration.revalidates ? entityTag(JSON.stringify(result)) : undefined;
    const framing = {
      statusCode: declaration.success,
      acceptEncoding: header(event, 'accept-encoding') ?? '',
      headers: {
        'x-request-id': event.requestContext.requestId,
        ...versionHeader(),
        ...deprecationHeaders(deprecated, services.origin),
        ...(isNegotiated ? { Vary: 'Accept, Accept-Encoding' } : {}),
        ...(tag === undefined ? {} : { ETag: tag, 'Cache-Control': 'private, no-cache' }),
      },
      limit,
    };
    const isKnown = tag !== undefined && header(event, 'if-none-match') === tag;
    const answer = isKnown ? notModified(framing.headers) : answerWith(result, framing);
    logRequest({ ...declaration, event, actor, meter: services.table.meter, statusCode: answer.statusCode });
    return answer;
  };

  /**
   * Runs the operation for a model. Called by `asTool`, which is in a file of its own so that the bundles of REST
   * functions do not contain it.
   */
  const respondToModel = async (parts: Parts, services: Services) => {
    const { result, limit } = await respond(parts, services);
    return { shown: shortened(result, specification.tool), limit };
  };
  return Object.assign(withMiddlewares(declaration, identify, run), { declaration, respondToModel });
}

/** Authenticates first, then parses a declared body. Converts errors to the error responses of §7. */
function withMiddlewares(
  declaration: Declaration,
  identify: (event: ProxyEvent) => Promise<void>,
  run: (event: ProxyEvent) => Promise<HttpAnswer>,
) {
  const chain = middy<ProxyEvent, HttpAnswer>(run);
  chain.use(httpErrorHandler({ logger: false }));
  chain.onError((request) => {
    const { event } = request;
    const error = refusalOf(request.error);
    const answer = errorAnswer(error, event.requestContext.requestId, versionHeader());
    logRequest({ ...declaration, event, statusCode: answer.statusCode, error });
    Object.assign(request, { error: answer });
  });
  chain.before(({ event }) => identify(event));
  const format = declaration.body && declaration.bodyFormat;
  if (format === 'form') chain.before(({ event }) => parseForm(event));
  if (format === 'bytes') chain.before(({ event }) => takeBytes(event));
  if (format === 'json') {
    chain.before(({ event }) => decodeRequestBody(event));
    chain.use(httpJsonBodyParser({ disableContentTypeCheck: true }));
  }
  return chain;
}

/**
 * Validates a result. Throws if the kind of the result is not declared, because the OpenAPI document describes only
 * declared kinds.
 */
function checked<Response extends z.ZodType>(
  result: unknown,
  { operationId, answers }: Declaration,
  response: Response | undefined,
): z.output<Response> | Content {
  if (!(result instanceof Content)) return response ? response.parse(result) : undeclared(operationId, 'JSON');
  return answers.includes(result.kind) ? result : undeclared(operationId, result.kind);
}

/** The response in the shortened form that models get from the tool. */
const shortened = <Result>(result: Result | Content, tool: ToolSpecification<Result> | 'none' | undefined): unknown =>
  result instanceof Content || tool === undefined || tool === 'none' ? result : (tool.answer?.(result) ?? result);

function undeclared(operationId: string, kind: string): never {
  throw new Error(`${operationId} returned ${kind}, which it does not declare. Add it to the declaration`);
}

/** Converts errors of the body parser to 400, because §7 does not define 415 or 422 for them. */
const refusalOf = (error: unknown): unknown => {
  const cause = error instanceof Error && 'cause' in error ? error.cause : undefined;
  const isOfParser =
    typeof cause === 'object' &&
    cause !== null &&
    'package' in cause &&
    cause.package === '@middy/http-json-body-parser';
  return isOfParser ? malformedJson() : error;
};

function callerOf({ actor, path, query }: Parts) {
  const { projectId } = { ...query, ...path };
  return actor && { organizationId: actor.organizationId, actor, ...(projectId === undefined ? {} : { projectId }) };
}

/**
 * Casts the parts of the request to the types that the handler expects. The cast is safe, because these types are
 * inferred from the schemas that validated the parts. It is needed, because `Declaration` has the same type for all
 * endpoints.
 */
const typed = <Typed>(parts: Parts): Typed => parts as Typed;

function partsOf(event: ProxyEvent, declaration: Declaration, actor: ApiActor | undefined) {
  const path = validated(declaration.pathParameters, event.pathParameters ?? {});
  const sent = event.multiValueQueryStringParameters ?? {};
  const { values, deprecated } = readQuery(declaration.query, sent, declaration.ignores);
  const query = validated(declaration.query, values, (place) => asSent(declaration.query, sent, place));
  const parts = {
    path,
    query,
    body: declaration.body && validated(declaration.body, event.body),
    sent: event.body,
    actor,
    header: (name: string) => header(event, name),
    isTool: false,
  };
  return { parts, deprecated };
}
