/** A test record: one test of one instance while and after it runs, errors included. Asked for: by id; all of an instance. */
import type { RecordedTestOutcome } from '../outcomes.ts';
import { beginningWith, type Entity } from '../table/entity.ts';
import { composed, prefix } from '../table/keys.ts';
import { pack, unpack } from '../table/packed.ts';
import { stored } from '../table/stored.ts';
import type { Annotation, Attempt } from './attempt.ts';
import { type Execution, loadExecution, storeExecution } from './execution.ts';

export interface TestRecord extends Execution {
  readonly organizationId: string;
  readonly instanceId: string;
  readonly testKey: string;
  /** The reporter's sequence number of the newest message applied. */
  readonly sequence: number;
  readonly done: boolean;
  /** The runner's declared outcome, as the first message had it. */
  readonly expectedStatus: string;
  /** The client's word; what it is counted as is a rule (`results/outcome.ts`). */
  readonly reported: ReportedOutcome;
  readonly attempts: readonly Attempt[];
  readonly annotations: readonly Annotation[];
  /** The test's own tags; `tags` are those it inherits. */
  readonly testTags: readonly string[];
  /** Milliseconds, server time: when it first was final. Places it in its history. */
  readonly finalAt?: number;
  /** Milliseconds, server time: when a message came last that did not end it. */
  readonly heardAt?: number;
  /** Final messages applied. After a second one its outcome may be another than the first time. */
  readonly finals: number;
}

interface ReportedOutcome {
  readonly outcome: RecordedTestOutcome;
  readonly flaky: boolean;
}

type RecordKey = Pick<TestRecord, 'organizationId' | 'instanceId' | 'testKey'>;

export const instancePartition = (of: Pick<TestRecord, 'organizationId' | 'instanceId'>) =>
  composed('INSTANCE', of.organizationId, of.instanceId);

export const testRecords: Entity<RecordKey, TestRecord> = {
  type: 'test record',
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
    ...(record.finalAt === undefined ? {} : { finalAt: record.finalAt }),
    ...(record.heardAt === undefined ? {} : { heardAt: record.heardAt }),
  }),
  load: (row) => {
    const { detail, ...rest } = stored<
      Omit<TestRecord, keyof Execution | keyof Detail> & { readonly detail: Uint8Array }
    >(row);
    return { ...rest, ...loadExecution(row), ...unpack<Detail>(detail) };
  },
};

type Detail = Pick<TestRecord, 'attempts' | 'annotations' | 'reported' | 'testTags'>;

/** What each message replaces. */
export type TestState = Detail & Pick<TestRecord, 'sequence' | 'done'>;

/** The same, as stored attributes. */
export const changesOf = ({ sequence, done, ...detail }: TestState) => {
  const { attempts, annotations, reported, testTags }: Detail = detail;
  return [
    ['sequence', sequence],
    ['done', done],
    ['detail', pack({ attempts, annotations, reported, testTags })],
  ] as const;
};

export const testRecordsSpan = (of: Pick<TestRecord, 'organizationId' | 'instanceId'>) =>
  beginningWith(instancePartition(of), prefix('TEST'));
