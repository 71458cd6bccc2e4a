/** The error of a test in one run, for pages that know the test by its signature only. */
import { partsOfRecord, runOfInstance } from '#shared/model/ids.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { type AttemptError, displayedError } from '#shared/model/tests/attempt.ts';
import { history, historySpan } from '#shared/model/tests/history-row.ts';
import { testRecords } from '#shared/model/tests/test-record.ts';
import type { Services } from '#shared/services.ts';
import { RESULT_LIMITS } from './limits.ts';

interface Asked {
  readonly organizationId: string;
  readonly signature: string;
  readonly runId: string;
  /** When the run started, in epoch milliseconds. */
  readonly createdAt: number;
}

export interface ErrorInRun {
  readonly instanceId: string;
  readonly testId: string;
  /** Neither masked nor cut. */
  readonly error: AttemptError;
  readonly run: Run;
}

/** Takes two round trips. `undefined` if the run was deleted or other runs have too many results at that time. */
export async function errorInRun(
  { table, now }: Pick<Services, 'table' | 'now'>,
  { organizationId, signature, runId, createdAt }: Asked,
): Promise<ErrorInRun | undefined> {
  const span = historySpan({ organizationId, signature, list: 'notable' }, createdAt, now() + 1);
  const [{ rows }, run] = await Promise.all([
    table.query(history, span, { limit: RESULT_LIMITS.nextExecutions }),
    table.get(runs, { organizationId, runId }),
  ]);
  const parts = rows
    .filter(({ item }) => item.hasErrors)
    .flatMap(({ item }) => partsOfRecord(item.recordId) ?? [])
    .find(({ instanceId }) => runOfInstance(instanceId) === runId);
  if (!run || !parts) return undefined;
  const record = await table.get(testRecords, { organizationId, ...parts });
  const error = record && displayedError(record.attempts);
  return error && { instanceId: record.instanceId, testId: record.testId, error, run };
}
