/** Writes histories directly to the table, for long lists and for arbitrary times and outcomes. */

import { put } from '#shared/engine/table/writes.ts';
import type { HistoryRow } from '#shared/model/results/history-row.ts';
import { history } from '#shared/model/results/history-row.ts';
import type { Services } from '#shared/services.ts';

export type HistoryItem = Omit<HistoryRow, 'list'>;

export interface HistoryOwner {
  readonly organizationId: string;
  readonly projectId: string;
}

export const SIGNATURE = 'a'.repeat(32);

/** Returns a record id that sorts like the number. */
export const recordIdOf = (number: number): string => number.toString(16).padStart(44, '0');

/**
 * Returns a test result. By default, the test passed on the branch `main`. Record ids must be unique within a
 * signature.
 */
export const historyItem = (
  { organizationId, projectId }: HistoryOwner,
  more: Partial<HistoryItem> = {},
): HistoryItem => ({
  organizationId,
  projectId,
  signature: SIGNATURE,
  recordedAt: Date.parse('2026-11-02T09:00:00Z'),
  recordId: recordIdOf(1),
  groupId: 'retail',
  spec: 'cart.spec.ts',
  machineId: 'machine-1',
  testId: 'test-1',
  title: ['cart', 'sums'],
  tags: [],
  environment: null,
  framework: 'pw',
  branch: 'main',
  sha: '1560994',
  authorName: 'Alex Doe',
  authorEmail: 'alex.doe@example.com',
  message: 'Let traders see net prices',
  outcome: 'passed',
  flaky: false,
  expectedStatus: 'passed',
  duration: 100,
  annotations: [],
  attempts: [['passed', Date.parse('2026-11-02T08:59:59Z'), 100]],
  hasErrors: false,
  expiresAt: undefined,
  ...more,
});

/**
 * Writes the results to the list `all`. Results of flaky tests and of tests that did not pass are also written to the
 * list `notable`.
 */
export async function storeHistory({ table }: Pick<Services, 'table'>, items: readonly HistoryItem[]): Promise<void> {
  await table.writeMany(
    items.flatMap((item) => [
      put(history, { ...item, list: 'all' as const }),
      ...(item.outcome === 'passed' && !item.flaky ? [] : [put(history, { ...item, list: 'notable' as const })]),
    ]),
  );
}

/** The id of the record that produced a result. */
export const recordIdIn = ({ attempts }: { readonly attempts: readonly { readonly attemptId: string }[] }): string =>
  attempts[0]?.attemptId.slice(0, RECORD_CHARACTERS) ?? '';

const RECORD_CHARACTERS = 44;
