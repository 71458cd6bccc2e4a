import { LIMITS } from './limits.ts';

/** The results in the order of `all`, a bounded number under way at once. The first failure is thrown once those have ended. */
export async function mapConcurrently<Element, Result>(
  all: readonly Element[],
  act: (element: Element) => Promise<Result>,
  atOnce: number = LIMITS.callsAtOnce,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = all.entries();
  const worker = async () => {
    for (const [index, element] of waiting) results[index] = await act(element);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return results;
}
