/** How many calls `mapConcurrently` makes at the same time, unless the caller sets another number. */
const CALLS_AT_ONCE = 16;

/** Keeps the order of the elements. If a call fails, its error is thrown after all other calls have settled. */
export async function mapConcurrently<Element, Result>(
  all: readonly Element[],
  act: (element: Element) => Promise<Result>,
  atOnce = CALLS_AT_ONCE,
): Promise<Result[]> {
  const results: Result[] = [];
  const entries = all.entries();
  const worker = async () => {
    for (const [index, element] of entries) results[index] = await act(element);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return results;
}
