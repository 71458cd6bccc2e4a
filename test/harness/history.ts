/** Histories put straight into the table: for lists too long to record, and for times and outcomes at will. */
import type { HistoryRow } from '#shared/resources/history-row.ts';
import { history } from '#shared/resources/history-row.ts';
import type { Services } from '#shared/services.ts';
import { put } from '#shared/table/writes.ts';

export type HistoryItem = Omit<HistoryRow, 'list'>;

export interface HistoryOwner {
  readonly organizationId: string;
  readonly projectId: string;
}

export const SIGNATURE = 'a'.repeat(32);

/** A record id that sorts like the number. */
export const recordIdOf = (number: number): string => number.toString(16).padStart(44, '0');

/** A row that passed on main, unless told otherwise. Rows of one signature need record ids of their own. */
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
  ...more,
});

/** In all lists that an execution stands in: the whole history, and that of what did not simply pass. */
export async function storeHistory({ table }: Pick<Services, 'table'>, items: readonly HistoryItem[]): Promise<void> {
  await table.writeMany(
    items.flatMap((item) => [
      put(history, { ...item, list: 'all' as const }),
      ...(item.outcome === 'passed' && !item.flaky ? [] : [put(history, { ...item, list: 'notable' as const })]),
    ]),
  );
}

/** The record an answered execution was made from. */
export const recordIdIn = ({ attempts }: { readonly attempts: readonly { readonly attemptId: string }[] }): string =>
  attempts[0]?.attemptId.slice(0, RECORD_CHARACTERS) ?? '';

const RECORD_CHARACTERS = 44;
