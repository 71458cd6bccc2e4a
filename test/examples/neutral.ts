/** What an answer becomes before it is an example: no key, no address of this machine, no signature of a link. */
import { EXAMPLE_ORIGIN } from '#infra/openapi.ts';

const EXAMPLE_FILE = 'https://files.example.com/3f9a?X-Amz-Signature=...';
const EXAMPLE_KEY = 'rdn_key_...';

const LINK = /^https?:\/\/\S+[?&]X-Amz-Signature=/;
const ORIGIN = /https?:\/\/127\.0\.0\.1:\d+/g;

/** A copy in which every text is fit for publication. */
export function neutral<Value>(value: Value, { recordKey }: { readonly recordKey: string }): Value {
  const text = (original: string): string => {
    if (LINK.test(original)) return EXAMPLE_FILE;
    const addressed = original.replaceAll(ORIGIN, EXAMPLE_ORIGIN);
    return recordKey === '' ? addressed : addressed.replaceAll(recordKey, EXAMPLE_KEY);
  };
  return JSON.parse(JSON.stringify(value), (_name, member) => (typeof member === 'string' ? text(member) : member));
}
