/** Writes the record of a streamed test. The highest sequence number wins, whatever the order of arrival. */
import type { WithTable, WriteOutcome } from '#shared/engine/table/table.ts';
import { type Condition, toAssignments } from '#shared/engine/table/update.ts';
import {
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

/**
 * Applies a message to a record, unless the record has a newer message. A message with the same sequence number is a
 * redelivery, and completes the work of an interrupted call. A finished test stays finished: later messages that are
 * not final are ignored.
 */
export function changeRecord(
  { table, now }: WithClock,
  key: RecordKey,
  state: TestState,
): Promise<WriteOutcome<TestRecord>> {
  const changes = {
    // §3 Every message shows that the machine is alive, even a repeated final message.
    set: [...listChangedAttributes(state), ['heardAt', now()] as const],
    setIfAbsent: state.done ? [['finalAt', now()] as const] : [],
    add: state.done ? [['finals', 1] as const] : [],
    remove: ['uploaded'],
  };
  const isNews: Condition = { path: 'sequence', atMost: state.sequence };
  const isOpen: Condition[] = state.done ? [] : [{ path: 'done', equals: false }];
  return table.update(testRecords, key, changes, { all: [IS_KNOWN, isNews, ...isOpen] });
}
