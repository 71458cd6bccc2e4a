/** What happened in an ended run to the tests that have issues. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { isQuarantined } from '#shared/ingest/affected-rows.ts';
import { extractRunId, splitRecordId } from '#shared/model/ids.ts';
import { getHistorySpan, type HistoryRow, history } from '#shared/model/results/history-row.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { AUTOMATION_LIMITS } from './limits.ts';

export interface RunResult {
  /** `failed` includes failures that a quarantine hides. */
  readonly outcome: 'passed' | 'flaky' | 'failed';
  /** The execution that decides the outcome. */
  readonly row: HistoryRow;
}

/** Returns `undefined` if the test neither passed nor failed in the run. */
export type FindResult = (run: Run, signature: string) => RunResult | undefined;

/** Reads the newest executions of each test, in one query per test. The queries run concurrently. */
export async function readResults(
  { table }: WithTable,
  runs: readonly Run[],
  signatures: readonly string[],
): Promise<FindResult> {
  const [first] = runs;
  if (!first) return () => undefined;
  const from = Math.min(...runs.map(({ createdAt }) => createdAt));
  const to = Math.max(...runs.map(({ createdAt, endedAt = createdAt }) => endedAt)) + 1;
  const { organizationId } = first;
  const rowsBySignature = new Map(
    await mapConcurrently([...new Set(signatures)], async (signature) => {
      const span = getHistorySpan({ organizationId, signature, list: 'all' }, from, to);
      const options = { limit: AUTOMATION_LIMITS.executions, newestFirst: true };
      const { rows } = await table.query(history, span, options);
      return [signature, rows.map(({ item }) => item)] as const;
    }),
  );
  return (run, signature) =>
    deriveResult((rowsBySignature.get(signature) ?? []).filter((row) => getRunId(row) === run.runId));
}

export const getRunId = ({ recordId }: Pick<HistoryRow, 'recordId'>): string | undefined =>
  extractRunId(getInstanceId({ recordId }));

export const getInstanceId = ({ recordId }: Pick<HistoryRow, 'recordId'>): string =>
  splitRecordId(recordId)?.instanceId ?? '';

/** A test may have run in several groups. The worst of its executions counts. */
function deriveResult(rows: readonly HistoryRow[]): RunResult | undefined {
  const failedRow = rows.find((row) => row.outcome === 'failed' || (row.outcome === 'pending' && isQuarantined(row)));
  if (failedRow) return { outcome: 'failed', row: failedRow };
  const flakyRow = rows.find((row) => row.flaky);
  if (flakyRow) return { outcome: 'flaky', row: flakyRow };
  const passedRow = rows.find((row) => row.outcome === 'passed');
  return passedRow && { outcome: 'passed', row: passedRow };
}
