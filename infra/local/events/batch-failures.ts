/** Reads a partial batch response, which names the failed items of a batch. */
import * as z from 'zod';

const Answer = z
  .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })).nullish() })
  .nullable()
  .transform((answer) => (answer?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier));

/** Lambda developer guide: a response that is malformed or names an item outside the batch fails the whole batch. */
export function parseFailedIds(payload: string, batch: readonly string[]): ReadonlySet<string> {
  const all = new Set(batch);
  const answer = Answer.safeParse(JSON.parse(payload));
  const isSound = answer.success && answer.data.every((id) => all.has(id));
  return isSound ? new Set(answer.data) : all;
}
