/** A test record: one test of one instance during and after its execution, with errors. */

import { type Entity, getPartitionSpan, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { pack, unpack } from '#shared/engine/table/packed.ts';
import { loadAttributes } from '#shared/engine/table/stored.ts';
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
  /** Server time of the first end, in epoch milliseconds. Its position in the history of the test. */
  readonly finalAt?: number;
  /** Server time of the last message, in epoch milliseconds. Absent after a single final one or a batch upload. */
  readonly heardAt?: number;
  /** The number of expected tests of the instance when the first message about this test arrived. */
  readonly expectedTests?: number;
  /** If set, the final message of the test triggers a check of whether its instance is complete. */
  readonly watched?: boolean;
  /** If a batch upload wrote the record, its result is counted in the row of uploaded results. */
  readonly uploaded?: boolean;
  /** Whether the test is in a further instance, which completes only when all tests that began in it have ended. */
  readonly further?: boolean;
  /** What the last final message wrote besides the history row, in the same transaction as this list. */
  readonly kept?: readonly KeptRow[];
  /** The expiry of the run, which the record shares. */
  readonly expiry: Expiry;
  /** The number of final messages. If there are several, the outcome may have changed. */
  readonly finals: number;
}

/** Besides the history row. A test that passed without a retry has none of them, unless a rule matched it. */
export type KeptRow = 'copy' | 'evidence' | 'quarantined' | Mark | RuleRow;

type RuleRow = `rule:${string}`;
export const toRuleRow = (actionId: string): RuleRow => `${RULE_ROW}${actionId}`;
export const isRuleRow = (row: KeptRow): row is RuleRow => row.startsWith(RULE_ROW);
export const extractRuleId = (row: RuleRow): string => row.slice(RULE_ROW.length);
const RULE_ROW = 'rule:';

export type RecordKey = Pick<TestRecord, 'organizationId' | 'instanceId' | 'testKey'>;

export const getInstancePartition = (instance: OfInstance) =>
  composeKey('INSTANCE', instance.organizationId, instance.instanceId);

/** `ends`: the retention that applies to the rows. */
export const removeWithInstance = (ends: GoesWithRun['removal']['ends']): GoesWithRun['removal'] => ({
  ends,
  ofInstance: (instance) => [getPartitionSpan(getInstancePartition(instance))],
});

export const testRecords: Entity<RecordKey, TestRecord> & GoesWithRun = {
  type: 'test record',
  guarded: false,
  removal: removeWithInstance('results'),
  patterns: [
    { question: 'A test record by id (which begins with its instance id)' },
    { question: 'All test records of an instance', begins: 'TEST#' },
  ],
  key: (record) => ({ pk: getInstancePartition(record), sk: composeKey('TEST', record.testKey) }),
  store: (record) => ({
    ...storeExecution(record),
    ...Object.fromEntries(listChangedAttributes(record)),
    organizationId: record.organizationId,
    instanceId: record.instanceId,
    testKey: record.testKey,
    expectedStatus: record.expectedStatus === EXPECTED ? undefined : record.expectedStatus,
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
    const { detail, size, ...rest } = loadAttributes<Partial<StoredTestRecord> & RecordKey>(row);
    const attributes = { sequence: NEVER, done: false, expectedStatus: EXPECTED, finals: 0, ...rest };
    return {
      ...attributes,
      expectedTests: size,
      expiry: loadExpiry(row),
      ...loadExecution(row),
      ...(detail ? unpack<Detail>(detail) : NOTHING),
    };
  },
};

type StoredTestRecord = Omit<TestRecord, keyof Execution | keyof Detail | 'expectedTests' | 'expiry'> & {
  readonly detail: Uint8Array;
  readonly size: number;
};

const NEVER = -1;

/** What most tests expect is not stored. */
const EXPECTED = 'passed';

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

const pickDetail = ({ attempts, annotations, reported, testTags }: Detail): Detail => ({
  attempts,
  annotations,
  reported,
  testTags,
});

export const listChangedAttributes = (state: TestState) =>
  [
    ['sequence', state.sequence],
    ['done', state.done],
    ['detail', pack(pickDetail(state))],
  ] as const;

export const haveSameDetail = (one: Detail, other: Detail): boolean =>
  JSON.stringify(pickDetail(one)) === JSON.stringify(pickDetail(other));

export const getTestRecordsSpan = (instance: OfInstance) =>
  getPrefixSpan(getInstancePartition(instance), composePrefix('TEST'));
