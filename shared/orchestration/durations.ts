/** The expected durations of spec files, from the history of the project. */
import { readSpecs } from '#shared/analytics/read-specs.ts';
import type { CoreServices } from '#shared/services.ts';
import { ORCHESTRATION_LIMITS } from './limits.ts';

/** The usual milliseconds of each spec file in recent runs, over all groups. Reports may be wrong, so they are bounded. */
export async function knownDurations(
  { table, now }: Pick<CoreServices, 'table' | 'now'>,
  project: { readonly organizationId: string; readonly projectId: string },
): Promise<ReadonlyMap<string, number>> {
  const to = now();
  const unfiltered = { tags: [], tagOperator: 'AND', branches: [], groups: [], authors: [], environments: [] } as const;
  const period = { from: to - ORCHESTRATION_LIMITS.historyMilliseconds, to };
  const totals = await readSpecs({ table }, project, period, unfiltered);
  return new Map(
    totals.flatMap(({ specFile, typicalMilliseconds: usual }) =>
      usual === undefined ? [] : [[specFile, Math.min(usual, ORCHESTRATION_LIMITS.longestFileMilliseconds)] as const],
    ),
  );
}
