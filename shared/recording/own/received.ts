/** Sequence numbers of stored batches, as ranges such as `0-17,19`. A machine rarely has more than one gap. */

type Range = readonly [first: number, last: number];

function parseRanges(text: string): Range[] {
  if (text === '') return [];
  return text.split(',').map((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return [first, last];
  });
}

const formatRanges = (ranges: readonly Range[]): string =>
  ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(',');

export const isReceived = (text: string, sequence: number): boolean =>
  parseRanges(text).some(([first, last]) => first <= sequence && sequence <= last);

export function addReceived(text: string, sequence: number): string {
  const ranges: Range[] = [];
  const newRange: Range = [sequence, sequence];
  for (const [first, last] of [...parseRanges(text), newRange].sort(([one], [other]) => one - other)) {
    const before = ranges.at(-1);
    if (before && first <= before[1] + 1) ranges[ranges.length - 1] = [before[0], Math.max(before[1], last)];
    else ranges.push([first, last]);
  }
  return formatRanges(ranges);
}

/** The first sequence numbers below `end` that have not been received, at most `most` of them. */
export function listMissing(text: string, end: number, most: number): number[] {
  const missingNumbers: number[] = [];
  let next = 0;
  for (const [first, last] of [...parseRanges(text), [end, end] satisfies Range]) {
    for (; next < Math.min(first, end) && missingNumbers.length < most; next += 1) missingNumbers.push(next);
    next = Math.max(next, last + 1);
  }
  return missingNumbers;
}

export const countGaps = (text: string): number => Math.max(0, parseRanges(text).length - 1);
