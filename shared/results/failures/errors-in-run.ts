/** The errors of a test in one run, for pages that know only the signature of the test. */
import { extractRunId, splitRecordId } from '#shared/model/ids.ts';
import { type AttemptError, findDisplayedError } from '#shared/model/results/attempt.ts';
import { getHistorySpan, history } from '#shared/model/results/history-row.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import type { WithClock } from '#shared/services.ts';
import { RESULT_LIMITS } from '../limits.ts';

interface ErrorsInRunQuery {
  readonly organizationId: string;
  readonly signature: string;
  readonly runId: string;
  /** When the run started, in epoch milliseconds. */
  readonly createdAt: number;
}

export interface ErrorInRun {
  readonly instanceId: string;
  readonly testId: string;
  /** The error is not shortened, and secrets in it are not masked. */
  readonly error: AttemptError;
  readonly run: Run;
}

/** The executions that have errors. Takes one query, with the limits of `readErrorsInRun`. */
export async function readFailuresInRun(
  { table, now }: WithClock,
  { organizationId, signature, runId, createdAt }: ErrorsInRunQuery,
): Promise<{ readonly instanceId: string; readonly testKey: string; readonly testId: string }[]> {
  const span = getHistorySpan({ organizationId, signature, list: 'notable' }, createdAt, now() + 1);
  const { rows } = await table.query(history, span, { limit: RESULT_LIMITS.nextExecutions });
  return rows.flatMap(({ item: { recordId, testId, hasErrors } }) => {
    const ids = splitRecordId(recordId);
    return hasErrors && ids && extractRunId(ids.instanceId) === runId ? [{ ...ids, testId }] : [];
  });
}

/**
 * One error per group. Takes two round trips. Empty if the run was deleted, or if concurrent runs recorded so many
 * failures of the test that those of this run are not among the rows that are read.
 */
export async function readErrorsInRun(services: WithClock, query: ErrorsInRunQuery): Promise<ErrorInRun[]> {
  const { table } = services;
  const { organizationId, runId } = query;
  const [failures, run] = await Promise.all([
    readFailuresInRun(services, query),
    table.get(runs, { organizationId, runId }),
  ]);
  if (!run || failures.length === 0) return [];
  const records = await table.getMany(
    testRecords,
    failures.map((parts) => ({ organizationId, ...parts })),
  );
  return records.flatMap((record) => {
    const error = record && findDisplayedError(record.attempts);
    return error ? [{ instanceId: record.instanceId, testId: record.testId, error, run }] : [];
  });
}
