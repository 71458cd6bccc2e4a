/** §6 The headers a webhook may add to its requests: a JSON object as text, since that is how clients send and expect it. */
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';

type Header = readonly [name: string, value: string];

/** What is wrong with them, and what to do; `undefined` for good ones. */
export function problemOfHeaders(text: string): string | undefined {
  if (text.length > WEBHOOK_LIMITS.webhookHeadersCharacters) {
    return `The headers are longer than ${WEBHOOK_LIMITS.webhookHeadersCharacters} characters of JSON. Send fewer or shorter ones`;
  }
  const entries = entriesOf(text);
  if (entries === undefined) {
    return 'The headers are not a JSON object. Send one as text, such as {"Authorization": "Bearer ..."}';
  }
  if (entries.length > WEBHOOK_LIMITS.webhookHeaders) return `Send at most ${WEBHOOK_LIMITS.webhookHeaders} headers`;
  const names = entries.map(([name]) => name.toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `The header ${twice} is there twice. Send it once, in one spelling`;
  return entries.map(problemOfHeader).find((problem) => problem !== undefined);
}

/** Of headers that have no problem; none for any others. */
export function headersOf(text: string | null): readonly Header[] {
  if (text === null || problemOfHeaders(text) !== undefined) return [];
  return (entriesOf(text) ?? []).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
}

function entriesOf(text: string): [string, unknown][] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined;
  } catch {
    return undefined;
  }
}

function problemOfHeader([name, value]: readonly [string, unknown]): string | undefined {
  // Neither is repeated whole: a name may be anything, and a value is a secret.
  if (!TOKEN.test(name)) {
    return `${JSON.stringify(name.slice(0, SHOWN_CHARACTERS))} cannot be a header's name. Use letters, digits and hyphens`;
  }
  // Receivers behind CGI cannot tell an underscore from a hyphen.
  if (RESERVED.test(name.replaceAll('_', '-'))) {
    return `The header ${name} is set by this service or by the transport. Leave it out, or use a name of your own`;
  }
  if (typeof value !== 'string' || !VISIBLE.test(value)) {
    return `The value of the header ${name} is not text in visible ASCII characters. Encode it, or leave the header out`;
  }
  return undefined;
}

const SHOWN_CHARACTERS = 64;

/** RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Blanks within only: what surrounds a value is no part of it. */
const VISIBLE = /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/;
/** Framing, routing, and what receivers trust because this service says it. */
const RESERVED =
  /^(?:host|content-.*|transfer-encoding|connection|te|trailer|upgrade|expect|keep-alive|proxy-.*|forwarded|via|x-forwarded-.*|x-amz.*|x-timestamp|webhook-.*|user-agent)$/i;
