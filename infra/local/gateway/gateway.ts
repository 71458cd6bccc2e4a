/** Handles a request as a regional REST API does: route, throttle, authorizer, usage plan, function. */

import { validateHeaderName, validateHeaderValue } from 'node:http';
import * as z from 'zod';
import type { FunctionOutput } from '#infra/local/lambda/function-runtime.ts';
import { type LocalFunction, limitTime, MAX_PAYLOAD_BYTES } from '#infra/local/lambda/lambda.ts';
import type { Api, LocalRoute, Throttle } from './api.ts';
import { authorize, formatMethodArn, MAX_METHOD_ARN_BYTES } from './authorizer.ts';
import { type GatewayAnswer, type GatewayResponseType, renderGatewayAnswer } from './gateway-responses.ts';
import {
  buildProxyEvent,
  buildRequestContext,
  getRawPath,
  type RequestContext,
  type WireRequest,
} from './proxy-event.ts';
import { buildRouteTree, findRoute, type RouteTree } from './routes.ts';

/** Whether one more request may pass now. As in API Gateway, each method and route and each usage plan key has one. */
type TokenBucket = () => boolean;

export function makeTokenBucket({ requestsPerSecond, burstRequests }: Throttle): TokenBucket {
  let tokens = burstRequests;
  // Uses the clock that tests can control. If it was set back, as at the start of each test, the bucket is full again.
  let filledAt = Date.now();
  return () => {
    const now = Date.now();
    const newTokens = now < filledAt ? burstRequests : ((now - filledAt) / 1000) * requestsPerSecond;
    tokens = Math.min(burstRequests, tokens + newTokens);
    filledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

/** API Gateway's own limits. */
const MAX_TARGET_CHARACTERS = 10_240;
const MAX_HEADER_VALUE_BYTES = 10_240;
export const MAX_REQUEST_BYTES = 10 * 1024 * 1024;

export interface Gateway {
  /** Handles a request. Never rejects. */
  answer(request: WireRequest): Promise<GatewayAnswer>;
  /** The response to a request whose body was too large to read. */
  tooLarge(request: WireRequest): GatewayAnswer;
}

/** Which limits apply: those of stage, usage plan and routes, only those of routes with an own limit, or none. */
export type Throttling = 'all' | 'routes' | 'none';

interface GatewayOptions {
  readonly api: Api;
  readonly functions: ReadonlyMap<string, LocalFunction>;
  readonly output: FunctionOutput;
  /** Called with one log line per request, except requests whose body is too large. */
  readonly onRequest: (line: string) => void;
  readonly onAnswer: OnAnswer;
  readonly throttling: Throttling;
}

export type OnAnswer = (request: WireRequest, answer: GatewayAnswer) => void;

interface ServedRoute extends LocalRoute {
  readonly fn: LocalFunction;
  readonly authorizer: LocalFunction | undefined;
  readonly bucket: TokenBucket;
}

/** The token buckets of the usage plan, by usage plan key. */
type Shares = ReadonlyMap<string, TokenBucket>;

/** Thrown to end the handling of a request with a gateway response. */
class Refusal extends Error {
  readonly type: GatewayResponseType;
  readonly text: string | undefined;
  readonly authorizer: Readonly<Record<string, unknown>> | undefined;

  constructor(type: GatewayResponseType, text?: string, authorizer?: Readonly<Record<string, unknown>>) {
    super(type);
    this.type = type;
    this.text = text;
    this.authorizer = authorizer;
  }
}

export function createGateway({ api, functions, output, onRequest, onAnswer, throttling }: GatewayOptions): Gateway {
  const makeBucket = (throttle: Throttle | undefined, isOfRoute = false): TokenBucket =>
    throttle && (throttling === 'all' || (throttling === 'routes' && isOfRoute))
      ? makeTokenBucket(throttle)
      : () => true;
  const tree = buildRouteTree(
    api.routes.map((route): ServedRoute => {
      const find = (arn: string): LocalFunction => {
        const fn = functions.get(arn);
        if (!fn) throw new Error(`${route.method} ${route.path} invokes ${arn}, which no stack defines`);
        return fn;
      };
      const authorizer = route.authorizerArn === undefined ? undefined : find(route.authorizerArn);
      return {
        ...route,
        fn: find(route.functionArn),
        authorizer,
        bucket: makeBucket(route.throttle, route.hasOwnThrottle),
      };
    }),
  );
  const { keys = [], throttle: share } = api.usagePlan ?? {};
  const shares: Shares = new Map(keys.map((key) => [key, makeBucket(share)]));
  const answerRefusal = (refusal: Refusal, context: RequestContext): GatewayAnswer =>
    renderGatewayAnswer(api.responses, refusal.type, { ...context, authorizer: refusal.authorizer }, refusal.text);
  const attempt = async (request: WireRequest, context: RequestContext): Promise<GatewayAnswer> => {
    try {
      return await answerRequest(tree, shares, request, context, output);
    } catch (error) {
      if (error instanceof Refusal) return answerRefusal(error, context);
      output.onFault(`The local gateway failed: ${error instanceof Error ? error.stack : error}`);
      return answerRefusal(new Refusal('API_CONFIGURATION_ERROR'), context);
    }
  };
  return {
    answer: async (request) => {
      const startedAt = performance.now();
      const context = buildRequestContext(request, api.stage);
      const answer = addRequestIds(await attempt(request, context), context);
      const milliseconds = Math.round(performance.now() - startedAt);
      onRequest(`${request.method} ${request.target} ${answer.status} ${milliseconds} ms`);
      onAnswer(request, answer);
      return answer;
    },
    tooLarge: (request) => {
      const context = buildRequestContext(request, api.stage);
      const answer = addRequestIds(answerRefusal(new Refusal('REQUEST_TOO_LARGE'), context), context);
      onAnswer(request, answer);
      return answer;
    },
  };
}

async function answerRequest(
  tree: RouteTree<ServedRoute>,
  shares: Shares,
  request: WireRequest,
  context: RequestContext,
  output: FunctionOutput,
): Promise<GatewayAnswer> {
  refuseOversized(request);
  const match = findRoute(tree, request.method, getRawPath(request));
  if (!match) throw new Refusal('MISSING_AUTHENTICATION_TOKEN');
  const { route } = match;
  if (!route.bucket()) throw new Refusal('THROTTLED');
  const event = buildProxyEvent(request, match, context);
  if ('malformed' in event) throw new Refusal('BAD_REQUEST_PARAMETERS', describeMalformedQuery(event.malformed));
  if (Buffer.byteLength(formatMethodArn(event)) > MAX_METHOD_ARN_BYTES) throw new Refusal('URI_TOO_LONG');
  const verdict = route.authorizer && (await authorize(route.authorizer, event, output.onFault));
  if (verdict?.kind === 'refused') throw new Refusal(verdict.response, verdict.message, verdict.authorizer);
  const authorizer = verdict?.authorizer;
  // The usage plan is checked last, because the authorizer returns the usage plan key.
  if (route.needsGatewayKey) {
    const share = verdict?.gatewayKey === undefined ? undefined : shares.get(verdict.gatewayKey);
    if (!share) throw new Refusal('INVALID_API_KEY');
    if (!share()) throw new Refusal('THROTTLED');
  }
  const payload = JSON.stringify({
    ...event,
    requestContext: { ...event.requestContext, ...(authorizer && { authorizer }) },
    body: request.body.length > 0 ? request.body.toString('base64') : null,
    isBase64Encoded: request.body.length > 0,
  });
  if (Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES) throw new Refusal('REQUEST_TOO_LARGE');
  const outOfTime = () => new Refusal('INTEGRATION_TIMEOUT');
  const result = await limitTime(route.fn.invoke(payload), route.timeoutMilliseconds, outOfTime);
  if (result.kind === 'failed') {
    output.onFault(result.report);
    throw new Refusal('FUNCTION_FAULT');
  }
  const translation = translate(result.payload);
  if (!('reason' in translation)) return translation;
  output.onFault(`${route.method} ${route.path}: ${translation.reason}`);
  throw new Refusal(translation.response);
}

/** The text of API Gateway is undocumented, so this is our own, with only characters that need no escaping. */
const describeMalformedQuery = (name: string): string =>
  /^[\w.[\]-]{1,64}$/.test(name) ? `\`${name}\` is malformed` : 'a parameter is malformed';

function refuseOversized({ target, rawHeaders }: WireRequest): void {
  if (target.length > MAX_TARGET_CHARACTERS) throw new Refusal('URI_TOO_LONG');
  const values = rawHeaders.filter((_, at) => at % 2 === 1);
  if (values.join('').length > MAX_HEADER_VALUE_BYTES) throw new Refusal('HEADERS_TOO_LARGE');
}

const addRequestIds = (answer: GatewayAnswer, { requestId, extendedRequestId }: RequestContext): GatewayAnswer => ({
  ...answer,
  headers: [...answer.headers, ['x-amzn-RequestId', requestId], ['x-amz-apigw-id', extendedRequestId]],
});

const Scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** Strict, because API Gateway answers an unknown field with 502 ("Malformed Lambda proxy response"). */
const ProxyResult = z.strictObject({
  statusCode: z.coerce.number().int().min(100).max(599).default(200),
  headers: z.record(z.string(), Scalar).nullish(),
  multiValueHeaders: z.record(z.string(), z.array(Scalar)).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/** API Gateway developer guide, "important notes": these response headers are renamed to `x-amzn-Remapped-...`. */
const REMAPPED = new Set([
  'authorization',
  'connection',
  'content-length',
  'content-md5',
  'date',
  'max-forwards',
  'server',
  'user-agent',
  'www-authenticate',
]);

const DROPPED = new Set([
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);

/** The gateway response for an invalid result of a function, with the reason for the log. */
interface Fault {
  readonly response: GatewayResponseType;
  readonly reason: string;
}

function translate(payload: string): GatewayAnswer | Fault {
  const result = ProxyResult.safeParse(JSON.parse(payload));
  if (!result.success) return makeFault(`Malformed Lambda proxy response: ${z.prettifyError(result.error)}`);
  const { statusCode, headers, multiValueHeaders, isBase64Encoded } = result.data;
  const text = result.data.body ?? '';
  if (isBase64Encoded && !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    return { response: 'API_CONFIGURATION_ERROR', reason: 'The body is not base64' };
  const mergedHeaders = merge(headers ?? {}, multiValueHeaders ?? {})
    .filter(([name]) => !DROPPED.has(name.toLowerCase()))
    .map(([name, value]) => [REMAPPED.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name, value] as const);
  const invalidHeader = mergedHeaders.find(([name, value]) => !isValid(name, value));
  if (invalidHeader)
    return makeFault(`Malformed Lambda proxy response: the header ${JSON.stringify(invalidHeader)} cannot be sent`);
  const hasType = mergedHeaders.some(([name]) => name.toLowerCase() === 'content-type');
  const all = hasType ? mergedHeaders : [...mergedHeaders, ['Content-Type', 'application/json'] as const];
  const body = Buffer.from(text, isBase64Encoded ? 'base64' : 'utf8');
  return { status: statusCode, headers: all, body };
}

const makeFault = (reason: string): Fault => ({ response: 'FUNCTION_FAULT', reason });

/** If a header is in both maps, the multi-value map wins. */
function merge(
  headers: Readonly<Record<string, string>>,
  multiValueHeaders: Readonly<Record<string, readonly string[]>>,
): Array<readonly [string, string]> {
  const multi = new Set(Object.keys(multiValueHeaders).map((name) => name.toLowerCase()));
  const singleHeaders = Object.entries(headers).filter(([name]) => !multi.has(name.toLowerCase()));
  const multiHeaders = Object.entries(multiValueHeaders).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
  return [...singleHeaders, ...multiHeaders];
}

function isValid(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
