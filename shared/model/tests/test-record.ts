/**
 * A test record: one test of one instance during and after its execution, with errors. Access patterns: by id; all
 * records of an instance.
 */

import { beginningWith, type Entity, wholePartition } from '#shared/engine/table/entity.ts';
import { composed, prefix } from '#shared/engine/table/keys.ts';
import { pack, unpack } from '#shared/engine/table/packed.ts';
import { stored } from '#shared/engine/table/stored.ts';
import type { OfInstance } from '#shared/model/keys.ts';
import { type Expiry, loadExpiry, storeExpiry } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import type { Annotation, Attempt } from './attempt.ts';
import { type Execution, loadExecution, storeExecution } from './execution.ts';
import type { Mark } from './failures.ts';
import type { CountedTest } from './outcomes.ts';

export interface TestRecord extends OfInstance, Execution {
  readonly testKey: string;
  /** The reporter's sequence number of the newest message in the record. */
  readonly sequence: number;
  readonly done: boolean;
  /** The outcome that the test declares as expected, from the first message. */
  readonly expectedStatus: string;
  /** The outcome that the client reported. `results/outcome.ts` determines how the outcome is counted. */
  readonly reported: Pick<CountedTest, 'outcome' | 'flaky'>;
  readonly attempts: readonly Attempt[];
  readonly annotations: readonly Annotation[];
  /** The tags of the test itself. The attribute `tags` contains the tags of the run and the group. */
  readonly testTags: readonly string[];
  /**
   * Server time when the test first finished, in epoch milliseconds. It determines the position of the execution in the
   * history of the test.
   */
  readonly finalAt?: number;
  /**
   * Server time when the last message arrived, in epoch milliseconds. Absent if the only message so far was final, or
   * if a batch upload wrote the record.
   */
  readonly heardAt?: number;
  /** The number of expected tests of the instance when the first message about this test arrived. */
  readonly expectedTests?: number;
  /** If set, the final message of the test triggers a check of whether its instance is complete. */
  readonly watched?: boolean;
  /**
   * Whether a batch upload wrote the record. If so, the result of the test is counted in the row of uploaded results.
   */
  readonly uploaded?: boolean;
  /** Whether the test is in a further instance, which completes only when all tests that began in it have ended. */
  readonly further?: boolean;
  /**
   * The kinds of rows, besides the history row, that the last final message wrote. The same transaction writes this
   * list.
   */
  readonly kept?: readonly KeptRow[];
  /** The expiry of the run, which the record shares. */
  readonly expiry: Expiry;
  /** The number of final messages. If there are several, the outcome may have changed. */
  readonly finals: number;
}

/**
 * The kinds of rows of a test besides its history row. A test that passed without a retry has none of them, unless a
 * rule matched it.
 */
export type KeptRow = 'copy' | 'evidence' | 'quarantined' | Mark | RuleRow;

/** The row of a rule that matched the test. */
type RuleRow = `rule:${string}`;
export const ruleRow = (actionId: string): RuleRow => `${RULE_ROW}${actionId}`;
export const isRuleRow = (kept: KeptRow): kept is RuleRow => kept.startsWith(RULE_ROW);
/** The id of the rule that a row belongs to. */
export const ruleOf = (row: RuleRow): string => row.slice(RULE_ROW.length);
const RULE_ROW = 'rule:';

export type RecordKey = Pick<TestRecord, 'organizationId' | 'instanceId' | 'testKey'>;

export const instancePartition = (of: OfInstance) => composed('INSTANCE', of.organizationId, of.instanceId);

/** Declares that the rows are in the partition of an instance. `ends`: the retention that applies to the rows. */
export const withInstance = (ends: GoesWithRun['removal']['ends']): GoesWithRun['removal'] => ({
  ends,
  ofInstance: (instance) => [wholePartition(instancePartition(instance))],
});

export const testRecords: Entity<RecordKey, TestRecord> & GoesWithRun = {
  type: 'test record',
  guarded: false,
  removal: withInstance('results'),
  patterns: [
    {
      question: 'A test record by id (which begins with its instance id)',
      key: 'pk = INSTANCE#org#instance, sk = TEST#test',
    },
    { question: 'All test records of an instance', key: 'pk = INSTANCE#org#instance, sk begins with TEST#' },
  ],
  key: (record) => ({ pk: instancePartition(record), sk: composed('TEST', record.testKey) }),
  store: (record) => ({
    ...storeExecution(record),
    ...Object.fromEntries(changesOf(record)),
    organizationId: record.organizationId,
    instanceId: record.instanceId,
    testKey: record.testKey,
    expectedStatus: record.expectedStatus,
    finals: record.finals,
    finalAt: record.finalAt,
    heardAt: record.heardAt,
    size: record.expectedTests,
    watched: record.watched || undefined,
    uploaded: record.uploaded || undefined,
    further: record.further || undefined,
    ...storeExpiry(record.expiry),
    kept: record.kept,
  }),
  load: (row) => {
    const { detail, size, ...rest } = stored<Partial<Stored> & RecordKey>(row);
    const own = { sequence: NEVER, done: false, expectedStatus: 'passed', finals: 0, ...rest };
    return {
      ...own,
      expectedTests: size,
      expiry: loadExpiry(row),
      ...loadExecution(row),
      ...(detail ? unpack<Detail>(detail) : NOTHING),
    };
  },
};

type Stored = Omit<TestRecord, keyof Execution | keyof Detail | 'expectedTests' | 'expiry'> & {
  readonly detail: Uint8Array;
  readonly size: number;
};

const NEVER = -1;

/** Whether the row has only the `watched` mark, because no reporter has sent a message about the test yet. */
export const isStub = ({ sequence }: Pick<TestRecord, 'sequence'>): boolean => sequence === NEVER;

type Detail = Pick<TestRecord, 'attempts' | 'annotations' | 'reported' | 'testTags'>;

const NOTHING: Detail = {
  attempts: [],
  annotations: [],
  reported: { outcome: 'passed', flaky: false },
  testTags: [],
};

/** The part of a record that each message replaces. */
export type TestState = Detail & Pick<TestRecord, 'sequence' | 'done'>;

/** The changed attributes of a record as they are stored. */
export const changesOf = ({ sequence, done, ...detail }: TestState) => {
  const { attempts, annotations, reported, testTags }: Detail = detail;
  return [
    ['sequence', sequence],
    ['done', done],
    ['detail', pack({ attempts, annotations, reported, testTags })],
  ] as const;
};

export const testRecordsSpan = (of: OfInstance) => beginningWith(instancePartition(of), prefix('TEST'));
