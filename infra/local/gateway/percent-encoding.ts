/** Decodes paths and query strings as API Gateway does for functions. */

/** Returns `undefined` for a percent sign without two hex digits. Invalid UTF-8 becomes U+FFFD. */
export function decodePercent(text: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(text)) return undefined;
  // Decodes to bytes first, because a character may consist of several bytes.
  const bytes = text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

type Pair = readonly [name: string, value: string];

/**
 * Returns the pairs in order, or else the name of the first malformed parameter (the whole parameter if its name cannot
 * be decoded). As in a REST API, an unencoded `;` separates pairs in the same way as `&`.
 */
export function parseQuery(rawQuery: string): { readonly pairs: readonly Pair[] } | { readonly malformed: string } {
  const pairs: Pair[] = [];
  for (const part of rawQuery.split(/[&;]/)) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decodeForm(equals < 0 ? part : part.slice(0, equals));
    const value = decodeForm(equals < 0 ? '' : part.slice(equals + 1));
    // API Gateway rejects these characters: "not supported for any request URL query string and must be URL-encoded".
    if (name === undefined || value === undefined || /[{}|]/.test(part)) return { malformed: name ?? part };
    pairs.push([name, value]);
  }
  return { pairs };
}

const decodeForm = (text: string): string | undefined => decodePercent(text.replaceAll('+', ' '));
