/** Ended runs that no number of analytics contains yet. */
import { leafOf } from '#shared/model/analytics-pending.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { CoreServices } from '#shared/services.ts';
import { readPending } from './pending-entries.ts';
import type { AnalyticsScope } from './read-model.ts';

export interface WaitingRuns {
  /** Ended runs that do not count yet. */
  readonly added: number;
  /** Runs that count as they were before a correction or their deletion. */
  readonly changed: number;
}

/** Looks at runs of the current and the last six hours. One query of a few hundred bytes per waiting run. */
export async function readWaitingRuns(
  services: Pick<CoreServices, 'table' | 'now'>,
  scope: AnalyticsScope,
): Promise<WaitingRuns> {
  const to = services.now() + 1;
  const rows = await readPending(services, scope, { from: (leafOf(to) - 1) * MODEL_LIMITS.leafMilliseconds, to });
  const byRun = Map.groupBy(rows, ({ runId }) => runId);
  const changed = [...byRun.values()].filter((own) => own.some(({ gone, corrects }) => gone || corrects)).length;
  const added = [...byRun.values()].filter((own) => own.every(({ gone, packed }) => !gone && !packed)).length;
  return { added, changed };
}
