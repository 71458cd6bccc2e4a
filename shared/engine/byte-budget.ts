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
