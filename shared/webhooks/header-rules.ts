/** §6 Custom headers of a webhook, stored as JSON text because clients send and expect text. */
import { WEBHOOK_LIMITS } from './limits.ts';

type Header = readonly [name: string, value: string];

/** Returns an error text that says what is wrong and what to do, or `undefined` for valid headers. */
export function findHeadersProblem(text: string): string | undefined {
  if (text.length > WEBHOOK_LIMITS.webhookHeadersCharacters) {
    return `The headers exceed ${WEBHOOK_LIMITS.webhookHeadersCharacters} characters of JSON. Send fewer or shorter ones`;
  }
  const entries = parseEntries(text);
  if (entries === undefined) {
    return 'The headers are not a JSON object. Send a JSON object as text, such as {"Authorization": "Bearer ..."}';
  }
  if (entries.length > WEBHOOK_LIMITS.webhookHeaders)
    return `There are more than ${WEBHOOK_LIMITS.webhookHeaders} headers. Send fewer`;
  const names = entries.map(([name]) => name.toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `The header ${twice} occurs twice. Header names are case-insensitive: send it once`;
  return entries.map(findHeaderProblem).find((problem) => problem !== undefined);
}

/** Returns an empty list for invalid headers. */
export function parseHeaders(text: string | null): readonly Header[] {
  if (text === null || findHeadersProblem(text) !== undefined) return [];
  return (parseEntries(text) ?? []).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
}

function parseEntries(text: string): [string, unknown][] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined;
  } catch {
    return undefined;
  }
}

function findHeaderProblem([name, value]: readonly [string, unknown]): string | undefined {
  // Never shows a value, because values are secrets. Shows only the beginning of an invalid name.
  if (!TOKEN.test(name)) {
    return `${JSON.stringify(name.slice(0, SHOWN_CHARACTERS))} is not a valid header name. Use letters, digits and hyphens`;
  }
  if (isReserved(name)) {
    return `The header ${name} is reserved for this service, HTTP or proxies. Use another name`;
  }
  if (typeof value !== 'string' || !VISIBLE.test(value)) {
    return `The value of the header ${name} must be visible ASCII text. Encode the value`;
  }
  return undefined;
}

const SHOWN_CHARACTERS = 64;

/** The rules for headers as JSON Schema, for the OpenAPI document. */
export const describeHeaders = () => ({
  maxProperties: WEBHOOK_LIMITS.webhookHeaders,
  propertyNames: { pattern: TOKEN.source, not: { pattern: makeReservedPattern() } },
  additionalProperties: { type: 'string' as const, pattern: VISIBLE.source },
});

/** A token as defined in RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** The value of a header. Allows spaces only inside a value, because HTTP strips leading and trailing spaces. */
const VISIBLE = /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/;

// §6 Headers that a webhook may not set. Receivers trust these headers, because normally only servers and proxies send
// them. They control message framing, client identity and request overrides.

/** The reserved names in lower case. `*` matches any characters, and `-` any special character. */
const RESERVED: readonly string[] = [
  // Message framing and connections (RFC 9110, RFC 9112, RFC 9113).
  'host',
  'content-*',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'http2-settings',
  'alt-used',
  'max-forwards',
  'early-data',
  'range',
  'if-*',
  'date',
  'via',
  // Headers that this service sets.
  'user-agent',
  'x-timestamp',
  'webhook-*',
  // CGI turns `Proxy` into `HTTP_PROXY`, which HTTP clients obey.
  'proxy',
  'proxy-*',
  // Browser sessions and browser-only headers: https://fetch.spec.whatwg.org/#forbidden-request-header
  'cookie',
  'cookie2',
  'set-cookie',
  'set-cookie2',
  'origin',
  'referer',
  'dnt',
  'sec-*',
  'access-control-*',
  // The address of the client.
  'forwarded',
  'forwarded-*',
  'x-forwarded',
  'x-forwarded-*',
  '*-real-ip',
  '*client-ip',
  '*clientip',
  'x-proxyuser-ip',
  'x-originating-ip',
  'x-remote-ip',
  '*remote-addr',
  'cf-connecting-*',
  'x-envoy-*',
  'x-appengine-*',
  // The identity or certificate of the client, as set by authenticating proxies.
  '*remote-user',
  'x-authenticated-*',
  'x-auth-request-*',
  'x-webauth-*',
  'x-ms-client-principal*',
  'x-goog-authenticated-*',
  'x-goog-iap-*',
  'client-cert',
  'client-cert-*',
  '*client-cert',
  '*clientcert',
  'ssl-client-*',
  'x-ssl-*',
  // Overrides of the request's method, host or path.
  '*http-method',
  '*method-override',
  '*host-override',
  'x-original-*',
  'x-rewrite-*',
  'x-host',
  'x-url-scheme',
  'front-end-https',
  'x-middleware-*',
  'x-accel-*',
  'x-sendfile',
  // Cloud signatures, traces and loop detection.
  'x-amz*',
  'cdn-loop',
];

const PATTERN = new RegExp(`^(?:${RESERVED.map((name) => name.replaceAll('*', '.*')).join('|')})$`);

/** Receivers behind CGI cannot distinguish special characters, so all of them are treated as hyphens. */
const isReserved = (name: string): boolean => PATTERN.test(name.toLowerCase().replaceAll(/[^0-9a-z]/g, '-'));

/** Character classes make it case-insensitive, because a JSON Schema pattern has no flags. */
const makeReservedPattern = (): string =>
  PATTERN.source.replaceAll(PART, (part) => (part === '-' ? '[^0-9A-Za-z]' : `[${part}${part.toUpperCase()}]`));

const PART = /[a-z-]/g;
