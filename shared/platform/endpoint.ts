/** Declares an endpoint. Route, function, permission check, parsing, errors, envelope and OpenAPI derive from it. */
import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type * as z from 'zod';
import type { Requirement } from '#shared/access/actions.ts';
import { type ApiActor, findBuild } from '#shared/access/actor.ts';
import { makeDenialError } from '#shared/access/denial.ts';
import { malformedJson } from '#shared/engine/errors.ts';
import { answerError, answerNotModified, answerResult, type HttpAnswer } from '#shared/engine/http/answer.ts';
import { Content, computeEntityTag } from '#shared/engine/http/content.ts';
import { getRequestId, type ProxyEvent, readHeader } from '#shared/engine/http/event.ts';
import { findSentPath, type QuerySchema, readQuery, refuseJoinedLists } from '#shared/engine/http/query.ts';
import { getVersionHeader } from '#shared/engine/http/version-header.ts';
import type { ToolSpecification } from '#shared/mcp/tool.ts';
import type { Repetition } from '#shared/organizations/only-once.ts';
import type { Services } from '#shared/services.ts';
import { connectOnce } from './connect.ts';
import {
  type Declaration,
  type Method,
  makeDeclaration,
  type Parts,
  type Request,
  type Specification,
} from './declaration.ts';
import { answerHead } from './head.ts';
import { logRequest } from './log.ts';
import { decodeRequestBody, makeDeprecationHeaders, parseForm, readActor, takeBytes, validatePart } from './request.ts';

export function endpoint<
  const Route extends `${Method} /${string}`,
  const Permission extends Requirement,
  Response extends z.ZodType = z.ZodNever,
  Query extends QuerySchema = z.ZodObject<Record<never, never>>,
  Body extends z.ZodType = z.ZodUndefined,
>(specification: Specification<Route, Permission, Query, Body, Response>) {
  const declaration = makeDeclaration(specification);
  const connect = connectOnce();
  // The middleware that identifies the actor shares only the event with the handler. Weak, so that both end together.
  const actors = new WeakMap<ProxyEvent, ApiActor>();

  const identify = async (event: ProxyEvent): Promise<void> => {
    const { permission, credential } = declaration;
    if (credential === 'none' || permission === 'public') return;
    const fromBody = specification.credential;
    actors.set(event, fromBody ? await fromBody(connect(getRequestId(event)), event, permission) : readActor(event));
  };
  const respond = async (parts: Parts, services: Services) => {
    const fullParts = { ...parts, caller: getCaller(parts, findRepetition(parts)) };
    const request = narrowParts<Request<Route, Permission, z.output<Query>, z.output<Body>>>(fullParts);
    const build = findBuild(parts.actor);
    if (build) await (specification.ofBuild ?? refuseBuild)(build, request, services);
    const result = checkResult(await specification.handle(request, services), declaration, specification.response);
    return { request, result, limit: specification.limit?.(request.query) ?? { what: 'The answer', remedies: [] } };
  };
  const findRepetition = ({ header, actor, path, query, body }: Parts) => {
    const key = specification.repeats && header('idempotency-key');
    if (key === undefined || !actor) return undefined;
    const { operationId } = declaration;
    return specification.repeats?.({ key, operationId, actor, parts: [path, query, body] });
  };
  const run = async (event: ProxyEvent): Promise<HttpAnswer> => {
    const services = connect(getRequestId(event));
    const actor = actors.get(event);
    const { parts, deprecated } = parseParts(event, declaration, actor);
    const { result, limit } = await respond(parts, services);
    const tag = declaration.revalidates ? computeEntityTag(JSON.stringify(result)) : undefined;
    const headers = {
      'x-request-id': getRequestId(event),
      ...getVersionHeader(),
      ...makeDeprecationHeaders(deprecated, services.origin),
      ...makeCacheHeaders(declaration, tag),
    };
    const acceptEncoding = readHeader(event, 'accept-encoding') ?? '';
    const isKnown = tag !== undefined && readHeader(event, 'if-none-match') === tag;
    const answer = isKnown
      ? answerNotModified(headers)
      : answerResult(result, { statusCode: declaration.success, acceptEncoding, headers, limit });
    logRequest({ ...declaration, event, actor, meter: services.table.meter, statusCode: answer.statusCode });
    return answer;
  };

  /** Called by `toTool`, which is in a file of its own so that the bundles of REST functions do not contain it. */
  const respondToModel = async (parts: Parts, services: Services, seesScreenshot: boolean) => {
    const { request, result, limit } = await respond(parts, services);
    const { tool } = specification;
    if (tool === undefined || tool === 'none') return { shown: result, limit };
    return { ...(await formatForModel(tool, result, { request, services, seesScreenshot })), limit };
  };
  const handle = wrapInMiddlewares(declaration, identify, run);
  const handleAny = answerHead((event: ProxyEvent, context: Parameters<typeof handle>[1]) => handle(event, context));
  return Object.assign(handleAny, { declaration, respondToModel });
}

interface ModelCall<Input> {
  readonly request: Input;
  readonly services: Services;
  readonly seesScreenshot: boolean;
}

/** The result as models see it: shortened, with a note on what it does not say, and the picture that they asked for. */
async function formatForModel<Result, Input>(
  tool: ToolSpecification<Result, Input>,
  result: Result | Content,
  { request, services, seesScreenshot }: ModelCall<Input>,
) {
  const sight = seesScreenshot ? await tool.screenshot?.read({ request, services }) : undefined;
  if (result instanceof Content) return { shown: result, sight };
  const note = await tool.note?.({ request, result, services });
  return { shown: tool.answer?.(result, { request, services }) ?? result, note, sight };
}

/** Authenticates first, then parses a declared body. Converts every error into a response that says what is wrong. */
function wrapInMiddlewares(
  declaration: Declaration,
  identify: (event: ProxyEvent) => Promise<void>,
  run: (event: ProxyEvent) => Promise<HttpAnswer>,
) {
  const chain = middy<ProxyEvent, HttpAnswer>(run);
  chain.use(httpErrorHandler({ logger: false }));
  chain.onError((request) => {
    const { event } = request;
    const error = convertParserError(request.error);
    const answer = answerError(error, getRequestId(event), getVersionHeader());
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

/** The default: the credential of a CI build opens only operations that check themselves whether they concern that build. */
function refuseBuild(): never {
  throw makeDenialError('recordsOnly');
}

const PUBLISHED = { 'Cache-Control': 'public, max-age=300', 'Access-Control-Allow-Origin': '*' };

function makeCacheHeaders({ answers, isPublished }: Declaration, tag: string | undefined): Record<string, string> {
  const isNegotiated = answers.includes('json') && answers.includes('markdown');
  return {
    // The `Accept` header then determines the kind of response.
    ...(isNegotiated && { Vary: 'Accept, Accept-Encoding' }),
    ...(tag !== undefined && { ETag: tag, 'Cache-Control': 'private, no-cache' }),
    ...(isPublished && PUBLISHED),
  };
}

/** Throws for a kind of result that is not declared, because the OpenAPI document describes only declared kinds. */
function checkResult<Response extends z.ZodType>(
  result: unknown,
  { operationId, answers }: Declaration,
  response: Response | undefined,
): z.output<Response> | Content {
  if (!(result instanceof Content)) return response ? response.parse(result) : throwUndeclared(operationId, 'JSON');
  return answers.includes(result.kind) ? result : throwUndeclared(operationId, result.kind);
}

function throwUndeclared(operationId: string, kind: string): never {
  throw new Error(`${operationId} returned ${kind}, which it does not declare. Add it to the declaration`);
}

/** The body parser answers some malformed bodies with 415 or 422. The API has only 400 for them (§7). */
const convertParserError = (error: unknown): unknown => {
  const cause = error instanceof Error && 'cause' in error ? error.cause : undefined;
  const isOfParser =
    typeof cause === 'object' &&
    cause !== null &&
    'package' in cause &&
    cause.package === '@middy/http-json-body-parser';
  return isOfParser ? malformedJson() : error;
};

function getCaller({ actor, path, query }: Parts, repetition: Repetition | undefined) {
  if (!actor) return undefined;
  const { projectId } = { ...query, ...path };
  const caller = { organizationId: actor.organizationId, actor, repetition };
  return projectId === undefined ? caller : { ...caller, projectId };
}

/**
 * Casts the parts of the request to the types that the handler expects. The cast is safe, because these types are
 * inferred from the schemas that validated the parts. It is needed, because `Declaration` has the same type for all
 * endpoints.
 */
const narrowParts = <Typed>(parts: Parts): Typed => parts as Typed;

function parseParts(event: ProxyEvent, declaration: Declaration, actor: ApiActor | undefined) {
  const path = validatePart(declaration.pathParameters, event.pathParameters ?? {});
  const sentValues = event.multiValueQueryStringParameters ?? {};
  refuseJoinedLists(declaration.query, sentValues);
  const { values, deprecated } = readQuery(declaration.query, sentValues, declaration.ignores);
  const query = validatePart(declaration.query, values, (place) => findSentPath(declaration.query, sentValues, place));
  const parts = {
    path,
    query,
    body: declaration.body && validatePart(declaration.body, event.body),
    sent: event.body,
    actor,
    header: (name: string) => readHeader(event, name),
    isTool: false,
  };
  return { parts, deprecated };
}
