/** The latest executions of a test, for the strip of its page. */
import type * as z from 'zod';
import { history, historySpan } from '#shared/model/history-row.ts';
import type { Services } from '#shared/services.ts';
import { presentTestResult } from './test-result.ts';
import type { TestResult } from './test-result-wire.ts';
import { listFor } from './test-results-filter.ts';

export type ShownExecution = Omit<z.infer<typeof TestResult>, 'cursor' | 'displayError'>;

/** Newest first. One trip. */
export async function latestExecutions(
  { table, now }: Pick<Services, 'table' | 'now'>,
  { limit, ...test }: { readonly organizationId: string; readonly signature: string; readonly limit: number },
): Promise<ShownExecution[]> {
  const span = historySpan({ ...test, list: listFor({}) }, 0, now() + 1);
  const { rows } = await table.query(history, span, { limit, newestFirst: true });
  // Without a cursor and without errors, which would need the records.
  return rows.map(({ item }) => presentTestResult(item, '', undefined));
}
