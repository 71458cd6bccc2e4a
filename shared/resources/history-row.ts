/** A history row: one execution of one test, written when it is final. Asked for: newest first by signature; the same without the uneventful ones. */
import type { RecordedTestOutcome } from '../outcomes.ts';
import type { Entity, Span } from '../table/entity.ts';
import { composed, instantKey } from '../table/keys.ts';
import { stored } from '../table/stored.ts';
import type { Condition } from '../table/update.ts';
import type { Annotation } from './attempt.ts';
import { type Execution, loadExecution, storeExecution } from './execution.ts';

/** `notable` holds only rows that did not simply pass: a search for failures reads nothing else. */
export type HistoryList = 'all' | 'notable';

/** An attempt that left no error: state letter, start (ms) and duration (ms). */
type SlimAttempt = readonly [RecordedTestOutcome, number | null, number];

export interface HistoryRow extends Execution {
  readonly organizationId: string;
  readonly signature: string;
  readonly list: HistoryList;
  /** Milliseconds, server time. */
  readonly recordedAt: number;
  readonly recordId: string;
  readonly outcome: RecordedTestOutcome;
  readonly flaky: boolean;
  readonly expectedStatus: string;
  /** Milliseconds, all attempts. */
  readonly duration: number;
  readonly annotations: readonly Annotation[];
  readonly attempts: readonly SlimAttempt[];
  /** The test record keeps errors of its attempts. */
  readonly hasErrors: boolean;
  /** The reporter's number of the message it was written for; the first where absent. */
  readonly sequence?: number;
}

type HistoryKey = Pick<HistoryRow, 'organizationId' | 'signature' | 'list' | 'recordedAt' | 'recordId'>;

const partition = (of: Pick<HistoryRow, 'organizationId' | 'signature' | 'list'>) =>
  composed(of.list === 'all' ? 'HISTORY' : 'NOTABLE', of.organizationId, of.signature);

/** Sort key characters before the record id. */
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
}

export const history: Entity<HistoryKey, HistoryRow> = {
  type: 'history row',
  patterns: [
    { question: 'Executions of a test, newest first', key: 'pk = HISTORY#org#signature, sk = recordedAt + record' },
    {
      question: 'Executions of a test that failed, were skipped or flaky, newest first',
      key: 'pk = NOTABLE#org#signature, sk = recordedAt + record',
    },
  ],
  key: (row) => ({ pk: partition(row), sk: instantKey(row.recordedAt) + row.recordId }),
  store: (row) => ({
    ...storeExecution(row),
    o: row.outcome,
    ...(row.flaky ? { y: true } : {}),
    ...(row.expectedStatus === 'passed' ? {} : { x: row.expectedStatus }),
    u: row.duration,
    ...(row.annotations.length > 0 ? { a: row.annotations } : {}),
    z: row.attempts,
    ...(row.hasErrors ? { w: true } : {}),
    ...(row.sequence ? { q: row.sequence } : {}),
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
    };
  },
};

/** Holds unless the row was written for a later message. */
export const unlessNewer = ({ sequence = 0 }: Pick<HistoryRow, 'sequence'>): Condition => ({
  any: [{ absent: 'q' }, { path: 'q', atMost: sequence }],
});

/** Executions recorded in `[from, to)` milliseconds. */
export const historySpan = (
  of: Pick<HistoryRow, 'organizationId' | 'signature' | 'list'>,
  from: number,
  to: number,
): Span => ({ pk: partition(of), from: instantKey(from), to: instantKey(to) });
