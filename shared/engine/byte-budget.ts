/**
 * DynamoDB items hold at most 400 KB. If an item collects values from many requests, only the first values that fit are
 * kept.
 */

/** Returns the first texts that fit into `bytes`. `own` is the overhead per text in bytes. */
export function firstWithin(texts: readonly string[], bytes: number, own = 1): string[] {
  let left = bytes;
  return texts.filter((text) => {
    left -= Buffer.byteLength(text) + own;
    return left >= 0;
  });
}

/** Whether the JSON of a value has at most `bytes` bytes. In the table, an object takes fewer bytes than its JSON. */
export const fitsWithin = (value: unknown, bytes: number): boolean => Buffer.byteLength(JSON.stringify(value)) <= bytes;
