/** Compares the duration of a run with that of its base, if both ran about the same tests. */
import type * as z from 'zod';
import { type Counters, sumCounters } from '#shared/model/results/outcomes.ts';
import { computeRunDuration, type Run } from '#shared/model/runs/run.ts';
import { formatCount, formatDuration } from '#shared/pages/design/format.tsx';
import { sumGroups } from '#shared/pages/shell/run-totals.ts';
import type { RunFeedItem } from '#shared/results/runs/run-wire.ts';

export interface RunSize {
  /** `undefined` if it is not known. */
  readonly durationMs: number | undefined;
  /** The number of tests with a result, if it is known. */
  readonly tests: Counters['overall'] | undefined;
}

/** `tests` is unknown if the run has not ended. */
export const measureRun = (run: Run): RunSize => ({
  durationMs: computeRunDuration(run),
  tests: run.groups && sumCounters(run.groups.map(({ tests }) => tests)).overall,
});

/** Smaller differences, as a share of the base, are noise. */
const SAME = 0.1;

/** Empty if there is nothing to say, for example because the run was cancelled. */
export function formatDurationNote(run: z.infer<typeof RunFeedItem>, base: RunSize | undefined): string {
  const { durationMs, completionState } = run;
  if (!base || completionState !== 'COMPLETE') return '';
  const count = sumGroups(run).overall;
  if (base.tests !== undefined && Math.abs(count - base.tests) > SAME * base.tests) {
    if (count > base.tests) return `${formatCount(count - base.tests)} tests more than the base run`;
    const part = `${formatCount(count)} of the base run’s ${formatCount(base.tests)} tests`;
    return run.build ? `this try ran ${part}` : `${part} ran`;
  }
  if (durationMs === null || base.durationMs === undefined) return '';
  const difference = durationMs - base.durationMs;
  if (Math.abs(difference) < SAME * base.durationMs) return 'as long as the base run';
  return `${formatDuration(Math.abs(difference))} ${difference > 0 ? 'slower' : 'faster'} than the base run`;
}
