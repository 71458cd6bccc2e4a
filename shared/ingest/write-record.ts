/** Writes the record of a streamed test. The highest sequence number wins, whatever the order of arrival. */
import type { WithTable, WriteOutcome } from '#shared/engine/table/table.ts';
import { type Condition, toAssignments } from '#shared/engine/table/update.ts';
import {
  haveSameDetail,
  listChangedAttributes,
  type RecordKey,
  type TestRecord,
  type TestState,
  testRecords,
} from '#shared/model/results/test-record.ts';
import type { WithClock } from '#shared/services.ts';

const IS_UNKNOWN: Condition = { absent: 'sequence' };
const IS_KNOWN: Condition = { present: 'sequence' };

/** Updates instead of putting, because the row may already exist with only the `watched` mark. */
export const addRecord = ({ table }: WithTable, record: TestRecord): Promise<WriteOutcome<TestRecord>> =>
  table.update(testRecords, record, { set: toAssignments(testRecords.store(record)) }, IS_UNKNOWN);

export interface RecordChange {
  /** The record with the message. */
  readonly record: TestRecord;
  /**
   * Whether the message is the second final one, and says what the first one said. The published reporter sends each
   * quick test twice.
   */
  readonly isRepetition: boolean;
}

/**
 * Applies a message to a record, unless the record has a newer message. A message with the same sequence number is a
 * redelivery, and completes the work of an interrupted call. A finished test stays finished: later messages that are
 * not final are ignored.
 */
export async function changeRecord(
  { table, now }: WithClock,
  key: RecordKey,
  state: TestState,
): Promise<WriteOutcome<RecordChange>> {
  // §3 Every message shows that the machine is alive, even a repeated final message.
  const heardAt = now();
  const changes = {
    set: [...listChangedAttributes(state), ['heardAt', heardAt] as const],
    setIfAbsent: state.done ? [['finalAt', heardAt] as const] : [],
    add: state.done ? [['finals', 1] as const] : [],
    remove: ['uploaded'],
  };
  const isNews: Condition = { path: 'sequence', atMost: state.sequence };
  const isOpen: Condition[] = state.done ? [] : [{ path: 'done', equals: false }];
  const when = { all: [IS_KNOWN, isNews, ...isOpen] };
  const outcome = await table.update(testRecords, key, changes, when, { returns: 'ALL_OLD' });
  const { item: oldRecord } = outcome;
  if (!outcome.done) return { done: false, item: oldRecord && { record: oldRecord, isRepetition: false } };
  const { uploaded, ...rest } = outcome.item;
  const { finalAt = heardAt, finals } = rest;
  const record = { ...rest, ...state, heardAt, ...(state.done ? { finalAt, finals: finals + 1 } : {}) };
  const isRepetition = finals === 1 && state.done && uploaded !== true && haveSameDetail(outcome.item, state);
  return { done: true, item: { record, isRepetition } };
}
