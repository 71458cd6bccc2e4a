/** Removes keys, random ids, local addresses and link signatures from examples. */

import { EXAMPLE_ORIGIN } from '#infra/build/openapi.ts';
import { EXAMPLE_ISSUER } from '#infra/build/openapi-security.ts';

const EXAMPLE_FILE = 'https://files.example.com/3f9a?X-Amz-Signature=...';
const EXAMPLE_KEY = 'rdn_key_...';
const EXAMPLE_JIRA = 'https://shop.atlassian.net';

const LINK = /^https?:\/\/\S+[?&]X-Amz-Signature=/;
/** Patterns of random values and secrets, each with the fixed text that replaces it. */
const REPLACED = [
  [/whsec_[\w+/=]+/g, 'whsec_...'],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '5f0c6f0e-8d43-4b7a-9c55-2f6b1d7e3a90'],
  [/msg_(?<at>[0-9a-v]{9})[0-9a-f]{24}/g, 'msg_$<at>5d41402abc4b2a76b9719d91'],
  // The cursor of a delivery, which contains the random id of the delivery.
  [/^[\w-]{16}REVMSVZFUlkj[\w-]+$/g, 'kzV0cJ3mXb1sYd8REVMSVZFUlkjbXNnXzFrNmRy'],
  [/rdn_shr_\w+/g, 'rdn_shr_...'],
  [/rdn_bld_\w+/g, 'rdn_bld_...'],
  [/receiver\.invalid/g, 'hooks.example.com'],
] as const;
const ORIGIN = /https?:\/\/(?:localhost|127\.0\.0\.1):\d+/g;

/** Returns a copy without secrets, random ids and local addresses. */
export function neutral<Value>(
  value: Value,
  {
    recordKey,
    issuer = '',
    jira,
  }: { readonly recordKey: string; readonly issuer?: string; readonly jira?: { readonly origin: string } },
): Value {
  const text = (sent: string): string => {
    const ofJira = jira ? sent.replaceAll(jira.origin, EXAMPLE_JIRA) : sent;
    const original = issuer === '' ? ofJira : ofJira.replaceAll(issuer, EXAMPLE_ISSUER);
    if (LINK.test(original)) return EXAMPLE_FILE;
    const known = REPLACED.reduce((text, [found, example]) => text.replaceAll(found, example), original);
    const addressed = known.replaceAll(ORIGIN, EXAMPLE_ORIGIN);
    return recordKey === '' ? addressed : addressed.replaceAll(recordKey, EXAMPLE_KEY);
  };
  return JSON.parse(JSON.stringify(value), (_name, member) => (typeof member === 'string' ? text(member) : member));
}
