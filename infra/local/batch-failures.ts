/** What a function that is told of several things at once says of those it could not handle. */
import * as z from 'zod';

const Answer = z
  .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })).nullish() })
  .nullable()
  .transform((answer) => (answer?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier));

/** Lambda developer guide: an answer that is malformed, or names what was not in the batch, fails all of it. */
export function failedIdentifiers(payload: string, batch: readonly string[]): ReadonlySet<string> {
  const all = new Set(batch);
  const answer = Answer.safeParse(JSON.parse(payload));
  const isSound = answer.success && answer.data.every((id) => all.has(id));
  return isSound ? new Set(answer.data) : all;
}
