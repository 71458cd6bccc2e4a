/** A table row holds at most 400 KB. Values that it collects from many requests are kept first come, first served. */

/** Returns the first texts that fit. `own` is the overhead of each in bytes. */
export function firstWithin(texts: readonly string[], bytes: number, own = 1): string[] {
  let left = bytes;
  return texts.filter((text) => {
    left -= Buffer.byteLength(text) + own;
    return left >= 0;
  });
}

/** Measures JSON, which is never shorter than the stored form. */
export const fitsWithin = (value: unknown, bytes: number): boolean => Buffer.byteLength(JSON.stringify(value)) <= bytes;

/** Cuts a text without splitting its last character. */
export function cutToBytes(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  // In UTF-8 only continuation bytes begin with the bits 10.
  let end = bytes;
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return encoded.toString('utf8', 0, end);
}
