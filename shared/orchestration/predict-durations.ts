/** Predicts how long spec files take, from their usual durations in recent runs. */
import { readSpecs } from '#shared/analytics/read-specs.ts';
import type { WithClock } from '#shared/services.ts';
import { ORCHESTRATION_LIMITS } from './limits.ts';

export interface SuiteFile {
  readonly groupId: string;
  readonly spec: string;
  readonly tests: number;
}

/** By spec file, over all groups of recent runs, in milliseconds. Capped, because reported durations may be wrong. */
export async function readTypicalDurations(
  { table, now }: WithClock,
  project: { readonly organizationId: string; readonly projectId: string },
): Promise<ReadonlyMap<string, number>> {
  const to = now();
  const noFilter = { tags: [], tagOperator: 'AND', branches: [], groups: [], authors: [], environments: [] } as const;
  const period = { from: to - ORCHESTRATION_LIMITS.historyMilliseconds, to };
  const totals = await readSpecs({ table }, project, period, noFilter);
  return new Map(
    totals.flatMap(({ specFile, typicalMilliseconds: usual }) =>
      usual === undefined ? [] : [[specFile, Math.min(usual, ORCHESTRATION_LIMITS.longestFileMilliseconds)] as const],
    ),
  );
}

/** A file without history gets the median of the others. Without any history, its number of tests decides. */
export function makeDurationPredictor(files: readonly SuiteFile[], typicalDurations: ReadonlyMap<string, number>) {
  const durations = files.flatMap(({ spec }) => typicalDurations.get(spec) ?? []).sort((one, other) => one - other);
  const median = durations[Math.floor(durations.length / 2)];
  return ({ spec, tests }: SuiteFile): number =>
    Math.round(typicalDurations.get(spec) ?? median ?? tests * ORCHESTRATION_LIMITS.millisecondsPerTest);
}
