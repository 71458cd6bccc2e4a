/** Folds the long stretches of a list in which nothing notable happens. */

interface Folding<Item> {
  readonly isNotable: (item: Item) => boolean;
  /** How many items before and after a notable one stay visible. */
  readonly before: number;
  readonly after: number;
  /** Shorter stretches are not worth a fold. */
  readonly fewest: number;
}

interface Stretch<Item> {
  readonly isFolded: boolean;
  readonly items: Item[];
}

/** Splits the items into stretches, of which every other one is folded. */
export function foldStretches<Item>(
  items: readonly Item[],
  { isNotable, before, after, fewest }: Folding<Item>,
): Stretch<Item>[] {
  const isNear = items.map((_, index) => items.slice(Math.max(0, index - after), index + before + 1).some(isNotable));
  const stretches: Stretch<Item>[] = [];
  for (const [index, item] of items.entries()) append(stretches, { isFolded: isNear[index] !== true, items: [item] });
  // A short stretch becomes one with those before and after it, which are visible.
  const joinedStretches: Stretch<Item>[] = [];
  for (const { isFolded, items: stretch } of stretches)
    append(joinedStretches, { isFolded: isFolded && stretch.length >= fewest, items: stretch });
  return joinedStretches;
}

function append<Item>(stretches: Stretch<Item>[], next: Stretch<Item>): void {
  const last = stretches.at(-1);
  if (last?.isFolded === next.isFolded) last.items.push(...next.items);
  else stretches.push(next);
}
