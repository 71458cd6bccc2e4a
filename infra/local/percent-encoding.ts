/** Decoding of paths and query strings as API Gateway hands them to functions. */

/** The decoded text, or undefined where a percent sign begins no byte. Bytes that are no UTF-8 become U+FFFD. */
export function decodePercent(encoded: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(encoded)) return undefined;
  // All bytes first, then the text: a character may be several of them.
  const bytes = encoded.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Pairs in the order sent, or undefined when the query is malformed. A raw `;` splits like `&`, as on a REST API. */
export function parseQuery(rawQuery: string): Array<readonly [string, string]> | undefined {
  // "not supported for any request URL query string and must be URL-encoded", says API Gateway of these.
  if (/[{}|]/.test(rawQuery)) return undefined;
  const pairs: Array<readonly [string, string]> = [];
  for (const part of rawQuery.split(/[&;]/)) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decodeForm(equals < 0 ? part : part.slice(0, equals));
    const value = decodeForm(equals < 0 ? '' : part.slice(equals + 1));
    if (name === undefined || value === undefined) return undefined;
    pairs.push([name, value]);
  }
  return pairs;
}

const decodeForm = (encoded: string): string | undefined => decodePercent(encoded.replaceAll('+', ' '));
