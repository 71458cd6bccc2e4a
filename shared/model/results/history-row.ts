/** A history row: one finished execution of a test. */

import type { Entity, Span } from '#shared/engine/table/entity.ts';
import { composeKey, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes } from '#shared/engine/table/stored.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import type { Annotation } from './attempt.ts';
import { EXECUTION_ATTRIBUTES, type Execution, loadExecution, storeExecution } from './execution.ts';
import type { RecordedTestOutcome } from './outcomes.ts';

/** `notable`: failed, skipped, pending and flaky ones, so that a search for failures need not read the others. */
export type HistoryList = 'all' | 'notable';
const LISTS: readonly HistoryList[] = ['all', 'notable'];

/** Without errors: outcome, start in epoch milliseconds, and duration in milliseconds. */
type SlimAttempt = readonly [RecordedTestOutcome, number | null, number];

export interface HistoryRow extends Execution, Expiring {
  readonly organizationId: string;
  readonly signature: string;
  readonly list: HistoryList;
  /** When the server recorded the execution, in epoch milliseconds. */
  readonly recordedAt: number;
  readonly recordId: string;
  readonly outcome: RecordedTestOutcome;
  readonly flaky: boolean;
  readonly expectedStatus: string;
  /** Of all attempts, in milliseconds. */
  readonly duration: number;
  readonly annotations: readonly Annotation[];
  readonly attempts: readonly SlimAttempt[];
  /** Whether the test record contains the errors of the attempts. */
  readonly hasErrors: boolean;
  /** The reporter's sequence number of the final message from which the row was written. 0 for a batch upload. */
  readonly sequence?: number;
}

type HistoryKey = Pick<HistoryRow, 'organizationId' | 'signature' | 'list' | 'recordedAt' | 'recordId'>;

const getPartition = (key: Pick<HistoryRow, 'organizationId' | 'signature' | 'list'>) =>
  composeKey(key.list === 'all' ? 'HISTORY' : 'NOTABLE', key.organizationId, key.signature);

/** In the sort key, before the record id. */
const INSTANT_CHARACTERS = encodeInstant(0).length;

interface StoredHistoryRow {
  readonly pk: string;
  readonly sk: string;
  readonly o: RecordedTestOutcome;
  readonly y?: true;
  readonly x?: string;
  readonly u: number;
  readonly a?: readonly Annotation[];
  readonly z: readonly SlimAttempt[];
  readonly w?: true;
  readonly q?: number;
  readonly expiresAt?: number;
}

/** The attributes that a filter of the database can name. */
export const HISTORY_ATTRIBUTES = {
  ...EXECUTION_ATTRIBUTES,
  outcome: 'o',
  flaky: 'y',
  annotations: 'a',
} as const satisfies { readonly [Name in keyof HistoryRow]?: string };

export const history: Entity<HistoryKey, HistoryRow> & GoesWithRun = {
  type: 'history row',
  guarded: false,
  removal: { ends: 'results', ofTest: (test) => LISTS.map((list) => history.key({ ...test, list })) },
  patterns: [
    { question: 'Executions of a test, newest first', of: { list: 'all' } },
    { question: 'Failed, skipped, pending and flaky executions of a test, newest first', of: { list: 'notable' } },
  ],
  key: (row) => ({ pk: getPartition(row), sk: encodeInstant(row.recordedAt) + row.recordId }),
  store: (row) => ({
    ...storeExecution(row),
    o: row.outcome,
    y: row.flaky || undefined,
    x: row.expectedStatus === 'passed' ? undefined : row.expectedStatus,
    u: row.duration,
    a: row.annotations.length > 0 ? row.annotations : undefined,
    z: row.attempts,
    w: row.hasErrors || undefined,
    q: row.sequence || undefined,
    expiresAt: row.expiresAt,
  }),
  load: (row) => {
    const attributes = loadAttributes<StoredHistoryRow>(row);
    const [kind, organizationId = '', signature = ''] = attributes.pk.split('#');
    return {
      ...loadExecution(row),
      organizationId,
      signature,
      list: kind === 'HISTORY' ? 'all' : 'notable',
      recordedAt: Number.parseInt(attributes.sk.slice(0, INSTANT_CHARACTERS), 32),
      recordId: attributes.sk.slice(INSTANT_CHARACTERS),
      outcome: attributes.o,
      flaky: attributes.y === true,
      expectedStatus: attributes.x ?? 'passed',
      duration: attributes.u,
      annotations: attributes.a ?? [],
      attempts: attributes.z,
      hasErrors: attributes.w === true,
      sequence: attributes.q ?? 0,
      expiresAt: attributes.expiresAt,
    };
  },
};

/** Keeps an older row from replacing a newer one. */
export const expectNoNewerRow = ({ sequence = 0 }: Pick<HistoryRow, 'sequence'>): Condition => ({
  any: [{ absent: 'q' }, { path: 'q', atMost: sequence }],
});

/** Recorded at or after `from` and before `to`, in epoch milliseconds. */
export const getHistorySpan = (
  key: Pick<HistoryRow, 'organizationId' | 'signature' | 'list'>,
  from: number,
  to: number,
): Span => ({ pk: getPartition(key), from: encodeInstant(from), to: encodeInstant(to) });
