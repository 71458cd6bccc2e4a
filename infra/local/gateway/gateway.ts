/** Handles a request as a regional REST API does: route, throttle, authorizer, usage plan, function. */

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
import { translateProxyResult } from './proxy-result.ts';
import { buildRouteTree, findRoute, type RouteTree } from './routes.ts';
import { makeTokenBucket, type TokenBucket } from './token-bucket.ts';

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
type BucketsByKey = ReadonlyMap<string, TokenBucket>;

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
  const makeBucket = (throttle: Throttle | undefined, { isOfRoute }: { readonly isOfRoute: boolean }): TokenBucket => {
    const applies = throttling === 'all' || (throttling === 'routes' && isOfRoute);
    return throttle && applies ? makeTokenBucket(throttle) : () => true;
  };
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
        bucket: makeBucket(route.throttle, { isOfRoute: route.hasOwnThrottle }),
      };
    }),
  );
  const { keys = [], throttle: planThrottle } = api.usagePlan ?? {};
  const bucketByKey: BucketsByKey = new Map(keys.map((key) => [key, makeBucket(planThrottle, { isOfRoute: false })]));
  const answerRefusal = (refusal: Refusal, context: RequestContext): GatewayAnswer =>
    renderGatewayAnswer(api.responses, refusal.type, { ...context, authorizer: refusal.authorizer }, refusal.text);
  const tryToAnswer = async (request: WireRequest, context: RequestContext): Promise<GatewayAnswer> => {
    try {
      return await answerRequest(tree, bucketByKey, request, context, output);
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
      const answer = addRequestIds(await tryToAnswer(request, context), context);
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
  bucketByKey: BucketsByKey,
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
    const bucket = verdict?.gatewayKey === undefined ? undefined : bucketByKey.get(verdict.gatewayKey);
    if (!bucket) throw new Refusal('INVALID_API_KEY');
    if (!bucket()) throw new Refusal('THROTTLED');
  }
  const payload = JSON.stringify({
    ...event,
    requestContext: { ...event.requestContext, ...(authorizer && { authorizer }) },
    body: request.body.length > 0 ? request.body.toString('base64') : null,
    isBase64Encoded: request.body.length > 0,
  });
  if (Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES) throw new Refusal('REQUEST_TOO_LARGE');
  // A deployed function is not built during its first call, so the client waits for that as long as it takes.
  await route.fn.prepare?.();
  const outOfTime = () => new Refusal('INTEGRATION_TIMEOUT');
  const result = await limitTime(route.fn.invoke(payload), route.timeoutMilliseconds, outOfTime);
  if (result.kind === 'failed') {
    output.onFault(result.report);
    throw new Refusal('FUNCTION_FAULT');
  }
  const translation = translateProxyResult(result.payload);
  if (!('reason' in translation)) return translation;
  output.onFault(`${route.method} ${route.path}: ${translation.reason}`);
  throw new Refusal(translation.response);
}

/** The text of API Gateway is undocumented, so this is our own, with only characters that need no escaping. */
const describeMalformedQuery = (name: string): string =>
  /^[\w.[\]-]{1,64}$/.test(name) ? `\`${name}\` is malformed` : 'a parameter is malformed';

function refuseOversized({ target, rawHeaders }: WireRequest): void {
  if (target.length > MAX_TARGET_CHARACTERS) throw new Refusal('URI_TOO_LONG');
  // Names and values alternate.
  const values = rawHeaders.filter((_, index) => index % 2 === 1);
  if (values.join('').length > MAX_HEADER_VALUE_BYTES) throw new Refusal('HEADERS_TOO_LARGE');
}

const addRequestIds = (answer: GatewayAnswer, { requestId, extendedRequestId }: RequestContext): GatewayAnswer => ({
  ...answer,
  headers: [...answer.headers, ['x-amzn-RequestId', requestId], ['x-amz-apigw-id', extendedRequestId]],
});
