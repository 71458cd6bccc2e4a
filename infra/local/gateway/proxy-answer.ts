/** Turns the result of a proxy integration into an HTTP response. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import * as z from 'zod';
import type { GatewayAnswer, GatewayResponseType } from './gateway-responses.ts';

const Scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/**
 * The result of a function. Strict: API Gateway answers 502 ("Malformed Lambda proxy response") to an unknown field.
 */
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

/** The HTTP response, or the gateway response for an invalid result, with the reason. */
type Translated =
  | { readonly kind: 'answer'; readonly answer: GatewayAnswer }
  | { readonly kind: 'fault'; readonly response: GatewayResponseType; readonly reason: string };

export function translate(payload: string): Translated {
  const parsed = ProxyResult.safeParse(JSON.parse(payload));
  if (!parsed.success) return fault(`Malformed Lambda proxy response: ${z.prettifyError(parsed.error)}`);
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = parsed.data;
  const bytes = isBase64Encoded ? decode(body ?? '') : Buffer.from(body ?? '');
  if (!bytes) return { kind: 'fault', response: 'API_CONFIGURATION_ERROR', reason: 'The body is not base64' };
  const merged = remap(merge(headers ?? {}, multiValueHeaders ?? {}));
  const invalid = merged.find(([name, value]) => !isValid(name, value));
  if (invalid) return fault(`Malformed Lambda proxy response: the header ${JSON.stringify(invalid)} cannot be sent`);
  const hasType = merged.some(([name]) => name.toLowerCase() === 'content-type');
  const all = hasType ? merged : [...merged, ['Content-Type', 'application/json'] as const];
  return { kind: 'answer', answer: { status: statusCode, headers: all, body: bytes } };
}

const fault = (reason: string): Translated => ({ kind: 'fault', response: 'FUNCTION_FAULT', reason });

function decode(base64: string): Buffer | undefined {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : undefined;
}

/** Merges the two maps of response headers. If a header is in both maps, the multi-value map wins. */
function merge(
  headers: Readonly<Record<string, string>>,
  multiValueHeaders: Readonly<Record<string, readonly string[]>>,
): Array<readonly [string, string]> {
  const multi = new Set(Object.keys(multiValueHeaders).map((name) => name.toLowerCase()));
  const single = Object.entries(headers).filter(([name]) => !multi.has(name.toLowerCase()));
  const many = Object.entries(multiValueHeaders).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
  return [...single, ...many];
}

const remap = (headers: ReadonlyArray<readonly [string, string]>): Array<readonly [string, string]> =>
  headers
    .filter(([name]) => !DROPPED.has(name.toLowerCase()))
    .map(([name, value]) => [REMAPPED.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name, value]);

function isValid(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
