/** Compares a run with an earlier run for a notification. The result contains no secrets, and only a few tests. */
import { presentComparisonInLines } from '#shared/context/shown-comparison.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { compareRuns } from '#shared/results/comparisons/compare-runs.ts';
import type { RunComparison, Verdict } from '#shared/results/comparisons/comparison-wire.ts';
import { VERDICT_WORDS } from '#shared/results/comparisons/verdict-words.ts';
import type { Services } from '#shared/services.ts';

export async function compareForNotification(
  services: Services,
  { organizationId, runId }: Run,
  limit: number,
): Promise<RunComparison> {
  const query = { page: 0, limit };
  return presentComparisonInLines(await compareRuns(services, { organizationId, runId, query }));
}

/** The verdicts that notifications show for tests, in display order, with their labels. */
export const SHOWN: readonly (readonly [Verdict, string])[] = (
  ['new', 'failed', 'still_failing', 'flaky', 'fixed'] as const
).map((verdict) => [verdict, VERDICT_WORDS[verdict]]);
