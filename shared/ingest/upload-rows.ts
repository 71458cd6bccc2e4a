/** The rows of the tests of an upload, and the rows of earlier results that they make outdated. */

import type { WithTable } from '#shared/engine/table/table.ts';
import { type Delete, type Put, put, remove } from '#shared/engine/table/writes.ts';
import { deriveRecordId, deriveTestKey } from '#shared/model/ids.ts';
import { findDisplayedError } from '#shared/model/results/attempt.ts';
import { evidenceParts } from '#shared/model/results/evidence.ts';
import { failures, findFailureMark, getInstanceFailuresSpan, MARKS } from '#shared/model/results/failures.ts';
import type { HistoryRow } from '#shared/model/results/history-row.ts';
import type { InstanceKey } from '#shared/model/results/instance.ts';
import type { RecordedTest } from '#shared/model/results/instance-details.ts';
import { shouldStoreEvidence } from '#shared/model/results/outcomes.ts';
import { isRuleRow, type KeptRow, type TestRecord, testRecords } from '#shared/model/results/test-record.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import { toCountedTest } from './counted-tests.ts';
import { buildExecution, type Parents } from './execution-of.ts';
import { buildTestRecord } from './record-of.ts';
import type { ReportedTest } from './reported.ts';
import { buildResultRows, planOutdatedRowRemoval } from './result-rows.ts';
import type { InstanceBefore } from './upload-tally.ts';

const listEarlierRowKinds = ({ records }: InstanceBefore, { testKey }: Pick<TestRecord, 'testKey'>): KeptRow[] => {
  const { kept = [] } = records.find((record) => record.testKey === testKey) ?? {};
  return ['copy', 'evidence', ...kept.filter((kind) => kind === 'quarantined' || isRuleRow(kind))];
};

/** A test record is stored only if the test has errors or evidence, or if rules affected it. */
export function planTest(
  parents: Parents,
  before: InstanceBefore,
  test: ReportedTest,
): { readonly execution: HistoryRow; readonly writes: (Put | Delete)[] } {
  const countedTest = { ...toCountedTest(test), expectedStatus: test.expectedStatus };
  const { recordedAt = 0 } = parents.instance;
  const record = buildTestRecord(parents, test, {
    sequence: 0,
    done: true,
    finalAt: recordedAt,
    finals: 1,
    uploaded: true,
  });
  const rows = buildResultRows({ record, counted: countedTest, evidence: test.evidence });
  // Earlier uploads or messages may have left rows that this upload makes outdated. Those in the list of failures are
  // left to `planOutdatedFailureRemoval`.
  const wasFinal = before.reported.has(record.testKey);
  const outdatedKinds = wasFinal ? listEarlierRowKinds(before, record).filter((kind) => !rows.kept.includes(kind)) : [];
  // The record lists the rows of matched rules, so that a later upload can find them.
  const isMarked = rows.kept.some(isRuleRow);
  const keepsRecord = isMarked || findDisplayedError(test.attempts) !== undefined || shouldStoreEvidence(countedTest);
  const hasRow = wasFinal || before.stubs.includes(record.testKey);
  const writes = [
    ...rows.puts,
    ...rows.moreEvidence.map((part) => put(evidenceParts, part)),
    ...planOutdatedRowRemoval(record, rows.history, outdatedKinds),
  ];
  if (keepsRecord) writes.push(put(testRecords, { ...record, kept: rows.kept }));
  else if (hasRow) writes.push(remove(testRecords, record));
  return { execution: rows.history, writes };
}

export function toRecordedTest(parents: Parents, test: ReportedTest): RecordedTest {
  const { testId, title, outcome, expectedStatus, annotations, attempts } = test;
  const { tags } = buildExecution(parents, test);
  return {
    testId,
    recordId: deriveRecordId({ instanceId: parents.instance.instanceId, testId }),
    title,
    outcome,
    flaky: toCountedTest(test).flaky,
    expectedStatus,
    tags: mergeTags(tags, test.tags),
    annotations,
    attempts,
    done: true,
  };
}

/** Earlier uploads or messages may have listed failures of these tests that do not match the new results. */
export async function planOutdatedFailureRemoval(
  { table }: WithTable,
  instance: InstanceKey,
  tests: readonly ReportedTest[],
): Promise<Delete[]> {
  const marks = new Map(tests.map((test) => [deriveTestKey(test.testId), findFailureMark(toCountedTest(test))]));
  const failuresByMark = await Promise.all(
    MARKS.map((mark) => table.queryAll(failures, getInstanceFailuresSpan(instance, mark), { consistent: true })),
  );
  const outdatedFailures = failuresByMark
    .flat()
    .filter(({ testKey, mark }) => marks.has(testKey) && marks.get(testKey) !== mark);
  return outdatedFailures.map((failure) => remove(failures, failure));
}
