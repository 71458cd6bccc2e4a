/** Splits a list into lists of at most `size` elements. */
export const chunks = <Element>(all: readonly Element[], size: number): Element[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size));

/**
 * Splits a list into lists that each have at most `most` elements and `bytes` bytes in total. An element that is larger
 * by itself gets a list of its own.
 */
export function chunksWithin<Element>(
  all: readonly Element[],
  { most, bytes }: { readonly most: number; readonly bytes: number },
  sizeOf: (element: Element) => number,
): [Element, ...Element[]][] {
  const made: [Element, ...Element[]][] = [];
  let total = 0;
  for (const element of all) {
    const size = sizeOf(element);
    const last = made.at(-1);
    total += size;
    if (last && last.length < most && total <= bytes) last.push(element);
    else {
      made.push([element]);
      total = size;
    }
  }
  return made;
}
