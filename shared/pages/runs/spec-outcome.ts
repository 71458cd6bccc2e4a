/** The outcome of a spec file of a run, on the page of the run and in its timeline. */
import type * as z from 'zod';
import type { ShownOutcome } from '#shared/pages/design/outcome.tsx';
import type { RunSpec } from '#shared/results/runs/run-wire.ts';

/** Failed spec files come first in lists, and passed ones last. */
const ORDER: readonly ShownOutcome[] = ['failed', 'running', 'flaky', 'pending', 'skipped', 'passed'];

/** `pending` means that no machine has claimed the spec file. */
export function getSpecOutcome({ claimedAt, completedAt, results }: z.infer<typeof RunSpec>): ShownOutcome {
  if (results && results.stats.failures + results.stats.skipped > 0) return 'failed';
  if (claimedAt === null) return 'pending';
  if (completedAt === null) return 'running';
  return results && results.flaky > 0 ? 'flaky' : 'passed';
}

export const compareOutcomes = (one: ShownOutcome, other: ShownOutcome): number =>
  ORDER.indexOf(one) - ORDER.indexOf(other);
