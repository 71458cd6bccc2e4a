/** Translates the result of a function into an HTTP response, or finds that it is none. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import * as z from 'zod';
import type { GatewayAnswer, GatewayResponseType } from './gateway-responses.ts';

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
const REMAPPED_HEADERS = new Set([
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

/** API Gateway does not pass these response headers on. */
const DROPPED_HEADERS = new Set([
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

export function translateProxyResult(payload: string): GatewayAnswer | Fault {
  const result = ProxyResult.safeParse(JSON.parse(payload));
  if (!result.success) return makeFault(`Malformed Lambda proxy response: ${z.prettifyError(result.error)}`);
  const { statusCode, headers, multiValueHeaders, isBase64Encoded } = result.data;
  const text = result.data.body ?? '';
  if (isBase64Encoded && !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    return { response: 'API_CONFIGURATION_ERROR', reason: 'The body is not base64' };
  const mergedHeaders = mergeHeaders(headers ?? {}, multiValueHeaders ?? {})
    .filter(([name]) => !DROPPED_HEADERS.has(name.toLowerCase()))
    .map(
      ([name, value]) => [REMAPPED_HEADERS.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name, value] as const,
    );
  const invalidHeader = mergedHeaders.find(([name, value]) => !isValidHeader(name, value));
  if (invalidHeader)
    return makeFault(`Malformed Lambda proxy response: the header ${JSON.stringify(invalidHeader)} cannot be sent`);
  const hasType = mergedHeaders.some(([name]) => name.toLowerCase() === 'content-type');
  const all = hasType ? mergedHeaders : [...mergedHeaders, ['Content-Type', 'application/json'] as const];
  const body = Buffer.from(text, isBase64Encoded ? 'base64' : 'utf8');
  return { status: statusCode, headers: all, body };
}

const makeFault = (reason: string): Fault => ({ response: 'FUNCTION_FAULT', reason });

/** If a header is in both maps, the multi-value map wins. */
function mergeHeaders(
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

function isValidHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
