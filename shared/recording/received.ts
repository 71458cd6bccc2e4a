/**
 * The sequence numbers of stored batches, written as ranges such as `0-17,19`. A machine rarely has more than one gap.
 */

type Range = readonly [first: number, last: number];

const rangesIn = (received: string): Range[] =>
  received === ''
    ? []
    : received.split(',').map((range) => {
        const [first = 0, last = first] = range.split('-').map(Number);
        return [first, last];
      });

const textOf = (ranges: readonly Range[]): string =>
  ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(',');

export const isReceived = (received: string, sequence: number): boolean =>
  rangesIn(received).some(([first, last]) => first <= sequence && sequence <= last);

export function withReceived(received: string, sequence: number): string {
  const merged: Range[] = [];
  const own: Range = [sequence, sequence];
  for (const [first, last] of [...rangesIn(received), own].sort(([a], [b]) => a - b)) {
    const before = merged.at(-1);
    if (before && first <= before[1] + 1) merged[merged.length - 1] = [before[0], Math.max(before[1], last)];
    else merged.push([first, last]);
  }
  return textOf(merged);
}

/** The first sequence numbers below `end` that have not been received, at most `most` of them. */
export function missingBelow(received: string, end: number, most: number): number[] {
  const missing: number[] = [];
  let next = 0;
  for (const [first, last] of [...rangesIn(received), [end, end] satisfies Range]) {
    for (; next < Math.min(first, end) && missing.length < most; next += 1) missing.push(next);
    next = Math.max(next, last + 1);
  }
  return missing;
}

export const gapsIn = (received: string): number => Math.max(0, rangesIn(received).length - 1);
