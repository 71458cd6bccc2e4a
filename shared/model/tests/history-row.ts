/**
 * A history row: one finished execution of a test. Access patterns: all executions of a test, by its signature, newest
 * first; only the notable executions of a test, newest first.
 */

import type { Entity, Span } from '#shared/engine/table/entity.ts';
import { composed, instantKey } from '#shared/engine/table/keys.ts';
import { stored } from '#shared/engine/table/stored.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import type { Annotation } from './attempt.ts';
import { type Execution, loadExecution, storeExecution } from './execution.ts';
import type { RecordedTestOutcome } from './outcomes.ts';

/**
 * `notable` contains only failed, skipped, pending and flaky executions, so that a search for failures need not read
 * the other executions.
 */
export type HistoryList = 'all' | 'notable';
const LISTS: readonly HistoryList[] = ['all', 'notable'];

/**
 * An attempt in short form, without its errors: its outcome, its start in epoch milliseconds, and its duration in
 * milliseconds.
 */
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
  /** The total duration of all attempts in milliseconds. */
  readonly duration: number;
  readonly annotations: readonly Annotation[];
  readonly attempts: readonly SlimAttempt[];
  /** Whether the test record contains the errors of the attempts. */
  readonly hasErrors: boolean;
  /** The reporter's sequence number of the final message from which the row was written. 0 for a batch upload. */
  readonly sequence?: number;
}

type HistoryKey = Pick<HistoryRow, 'organizationId' | 'signature' | 'list' | 'recordedAt' | 'recordId'>;

const partition = (of: Pick<HistoryRow, 'organizationId' | 'signature' | 'list'>) =>
  composed(of.list === 'all' ? 'HISTORY' : 'NOTABLE', of.organizationId, of.signature);

/** The number of characters of the sort key before the record id. */
const INSTANT_CHARACTERS = instantKey(0).length;

interface Short {
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

export const history: Entity<HistoryKey, HistoryRow> & GoesWithRun = {
  type: 'history row',
  guarded: false,
  removal: { ends: 'results', ofTest: (test) => LISTS.map((list) => history.key({ ...test, list })) },
  patterns: [
    { question: 'Executions of a test, newest first', key: 'pk = HISTORY#org#signature, sk = recordedAt + record' },
    {
      question: 'Failed, skipped, pending and flaky executions of a test, newest first',
      key: 'pk = NOTABLE#org#signature, sk = recordedAt + record',
    },
  ],
  key: (row) => ({ pk: partition(row), sk: instantKey(row.recordedAt) + row.recordId }),
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
    const short = stored<Short>(row);
    const [kind, organizationId = '', signature = ''] = short.pk.split('#');
    return {
      ...loadExecution(row),
      organizationId,
      signature,
      list: kind === 'HISTORY' ? 'all' : 'notable',
      recordedAt: Number.parseInt(short.sk.slice(0, INSTANT_CHARACTERS), 32),
      recordId: short.sk.slice(INSTANT_CHARACTERS),
      outcome: short.o,
      flaky: short.y === true,
      expectedStatus: short.x ?? 'passed',
      duration: short.u,
      annotations: short.a ?? [],
      attempts: short.z,
      hasErrors: short.w === true,
      sequence: short.q ?? 0,
      expiresAt: short.expiresAt,
    };
  },
};

/** A condition that keeps an older row from replacing a newer one. */
export const unlessNewer = ({ sequence = 0 }: Pick<HistoryRow, 'sequence'>): Condition => ({
  any: [{ absent: 'q' }, { path: 'q', atMost: sequence }],
});

/** The executions that were recorded at or after `from` and before `to`, in epoch milliseconds. */
export const historySpan = (
  of: Pick<HistoryRow, 'organizationId' | 'signature' | 'list'>,
  from: number,
  to: number,
): Span => ({ pk: partition(of), from: instantKey(from), to: instantKey(to) });
