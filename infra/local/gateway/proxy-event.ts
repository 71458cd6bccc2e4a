/** Builds the events (payload format 1.0) that a REST API sends to Lambda functions. */
import { randomBytes, randomUUID } from 'node:crypto';
import { ACCOUNT, API_ID } from '#infra/local/template/physical-ids.ts';
import { parseQuery } from './percent-encoding.ts';
import type { FoundRoute, Route } from './routes.ts';

export interface WireRequest {
  readonly method: string;
  /** The path and the query, still encoded. */
  readonly target: string;
  /** Alternating header names and values, as sent. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly sourceIp: string;
  readonly port: number;
}

type MultiValueMap = Record<string, string[]>;
type SingleValueMap = Readonly<Record<string, string>> | null;

/** The request context for functions, gateway responses and logs. */
export interface RequestContext extends Readonly<Record<string, unknown>> {
  readonly requestId: string;
  readonly extendedRequestId: string;
  readonly stage: string;
}

export interface LocalProxyEvent {
  readonly resource: string;
  readonly path: string;
  readonly httpMethod: string;
  readonly headers: SingleValueMap;
  readonly multiValueHeaders: Readonly<MultiValueMap> | null;
  readonly queryStringParameters: SingleValueMap;
  readonly multiValueQueryStringParameters: Readonly<MultiValueMap> | null;
  readonly pathParameters: SingleValueMap;
  readonly stageVariables: null;
  readonly requestContext: RequestContext;
}

/** The undecoded path of a request. Strips the origin of absolute targets (`GET http://host/path`). */
export function getRawPath({ target }: WireRequest): string {
  const path = (target.split('?', 1)[0] ?? '').replace(/^https?:\/\/[^/]*/i, '');
  return path === '' ? '/' : path;
}

/** Builds the event without its body, or returns the malformed parameter of the query string. */
export function buildProxyEvent(
  request: WireRequest,
  { route, pathParameters }: FoundRoute<Route>,
  context: RequestContext,
): LocalProxyEvent | { readonly malformed: string } {
  const query = parseQuery(request.target.split('?').slice(1).join('?'));
  if ('malformed' in query) return query;
  const sentHeaders = splitHeaders(request.rawHeaders).filter(([name]) => !DROPPED.has(name.toLowerCase()));
  const trace = `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${randomUUID().replaceAll('-', '').slice(0, 24)}`;
  const addedHeaders = Object.entries({
    'X-Amzn-Trace-Id': trace,
    'X-Forwarded-For': request.sourceIp,
    'X-Forwarded-Port': String(request.port),
    'X-Forwarded-Proto': 'http',
  });
  const headers = groupValues([...sentHeaders, ...addedHeaders], (name) => name.toLowerCase());
  const queries = groupValues(query.pairs, (name) => name);
  return {
    resource: route.path,
    path: getRawPath(request),
    httpMethod: request.method,
    headers: pickLastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: pickLastValues(queries),
    multiValueQueryStringParameters: queries,
    pathParameters: Object.keys(pathParameters).length > 0 ? pathParameters : null,
    stageVariables: null,
    requestContext: { ...context, resourceId: route.path, resourcePath: route.path },
  };
}

/** The part of the context that does not depend on the route. Gateway responses need only this part. */
export function buildRequestContext(request: WireRequest, stage: string): RequestContext {
  const now = new Date();
  const host = findHeader(request, 'host') ?? '';
  return {
    accountId: ACCOUNT,
    apiId: API_ID,
    domainName: host.replace(/:\d+$/, ''),
    domainPrefix: host.split('.')[0] ?? '',
    extendedRequestId: randomBytes(11).toString('base64'),
    httpMethod: request.method,
    identity: { ...NOBODY, sourceIp: request.sourceIp, userAgent: findHeader(request, 'user-agent') ?? null },
    path: getRawPath(request),
    protocol: 'HTTP/1.1',
    requestId: findRequestId(request) ?? randomUUID(),
    requestTime: formatRequestTime(now),
    requestTimeEpoch: now.getTime(),
    stage,
  };
}

/** API Gateway takes the id from this header, if it is well-formed. The extended id is always its own. */
const findRequestId = (request: WireRequest): string | undefined => {
  const id = findHeader(request, 'x-amzn-requestid');
  return id !== undefined && /^[\w!#$%&'*+.^|~`-]{1,128}$/.test(id) ? id : undefined;
};

const NOBODY = {
  accessKey: null,
  accountId: null,
  caller: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
};

/** Formats a time like `20/Nov/2026:06:12:34 +0000`. */
function formatRequestTime(date: Date): string {
  const [, day, month, year, time] = date.toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}

/** The last value of a header. `name` must be in lower case. */
function findHeader({ rawHeaders }: WireRequest, name: string): string | undefined {
  return splitHeaders(rawHeaders).findLast(([headerName]) => headerName.toLowerCase() === name)?.[1];
}

/** API Gateway developer guide, "important notes": these headers are not passed to Lambda integrations. */
const DROPPED = new Set([
  'connection',
  'content-length',
  'content-md5',
  'expect',
  'keep-alive',
  'max-forwards',
  'proxy-authenticate',
  'proxy-connection',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
]);

const splitHeaders = (rawHeaders: readonly string[]) =>
  Array.from(
    { length: rawHeaders.length / 2 },
    (_, pair) => [rawHeaders[2 * pair] ?? '', rawHeaders[2 * pair + 1] ?? ''] as const,
  );

/** Each name is spelled as in its first occurrence. `null` if there are no values, as in API Gateway. */
function groupValues(
  pairs: ReadonlyArray<readonly [string, string]>,
  sameName: (name: string) => string,
): MultiValueMap | null {
  const spelling = new Map<string, string>();
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const first = spelling.get(sameName(name)) ?? name;
    spelling.set(sameName(name), first);
    values.set(first, [...(values.get(first) ?? []), value]);
  }
  return values.size > 0 ? Object.fromEntries(values) : null;
}

const pickLastValues = (multi: MultiValueMap | null): SingleValueMap =>
  multi && Object.fromEntries(Object.entries(multi).map(([name, values]) => [name, values.at(-1) ?? '']));
