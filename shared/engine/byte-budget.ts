/** DynamoDB items hold 400 KB, so of values that an item collects from many requests, only the first are kept. */

/** Keeps texts up to `bytes` in total. `overhead`: the additional bytes of each text. */
export function keepFirstTexts(texts: readonly string[], bytes: number, overhead = 1): string[] {
  let left = bytes;
  return texts.filter((text) => {
    left -= Buffer.byteLength(text) + overhead;
    return left >= 0;
  });
}

/** In the table, an object takes fewer bytes than its JSON. */
export const isJsonWithin = (value: unknown, bytes: number): boolean =>
  Buffer.byteLength(JSON.stringify(value)) <= bytes;
