/** §6 Custom headers of a webhook, stored as JSON text because clients send and expect text. */
import { WEBHOOK_LIMITS } from './limits.ts';
import { isReserved, makeReservedPattern } from './reserved-headers.ts';

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
    const headers: unknown = JSON.parse(text);
    const isObject = typeof headers === 'object' && headers !== null && !Array.isArray(headers);
    return isObject ? Object.entries(headers) : undefined;
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
