/** Lists of at most `size` elements. */
export const splitIntoChunks = <Element>(all: readonly Element[], size: number): Element[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size));

/** Lists of at most `most` elements and `bytes` bytes. A larger element gets a list of its own. */
export function splitIntoBoundedChunks<Element>(
  all: readonly Element[],
  { most, bytes }: { readonly most: number; readonly bytes: number },
  sizeOf: (element: Element) => number,
): [Element, ...Element[]][] {
  const chunks: [Element, ...Element[]][] = [];
  let total = 0;
  for (const element of all) {
    const size = sizeOf(element);
    const last = chunks.at(-1);
    total += size;
    if (last && last.length < most && total <= bytes) last.push(element);
    else {
      chunks.push([element]);
      total = size;
    }
  }
  return chunks;
}
