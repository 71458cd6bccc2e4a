/** The outcome of a spec file of a run, on the page of the run and in its timeline. */
import type * as z from 'zod';
import type { ShownOutcome } from '#shared/pages/design/outcome.tsx';
import type { RunSpec } from '#shared/results/runs/run-wire.ts';
import type { TimelineBar } from '#shared/results/runs/timeline.ts';

/** Failed spec files come first in lists, and passed ones last. */
const ORDER: readonly ShownOutcome[] = ['failed', 'running', 'flaky', 'pending', 'skipped', 'passed'];

/**
 * `pending` means that no machine has claimed the spec file, and `skipped` that it did not finish before the end of the
 * run.
 */
export function getSpecOutcome(
  { claimedAt, completedAt, results }: z.infer<typeof RunSpec>,
  hasEnded: boolean,
): ShownOutcome {
  if (results && results.stats.failures + results.stats.skipped > 0) return 'failed';
  if (claimedAt === null) return 'pending';
  if (completedAt === null) return hasEnded ? 'skipped' : 'running';
  return results && results.flaky > 0 ? 'flaky' : 'passed';
}

export const getBarOutcome = ({ spec, hasEnded }: TimelineBar): ShownOutcome => getSpecOutcome(spec, hasEnded);

export const compareOutcomes = (one: ShownOutcome, other: ShownOutcome): number =>
  ORDER.indexOf(one) - ORDER.indexOf(other);
