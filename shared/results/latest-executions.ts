/** The latest executions of a test, for the strip of its page. */
import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
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

type Test = Pick<ShownExecution, 'signature'>;

/** The latest executions of each of these tests. One trip per test. */
export async function executionsOfTests(
  services: Pick<Services, 'table' | 'now'>,
  { tests, ...of }: { readonly organizationId: string; readonly tests: readonly Test[]; readonly limit: number },
): Promise<(of: Test) => readonly ShownExecution[]> {
  const signatures = [...new Set(tests.map(({ signature }) => signature))];
  const found = new Map(
    await mapConcurrently(
      signatures,
      async (signature) => [signature, await latestExecutions(services, { ...of, signature })] as const,
    ),
  );
  return ({ signature }) => found.get(signature) ?? [];
}
