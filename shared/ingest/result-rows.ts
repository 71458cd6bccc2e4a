/**
 * §2.4 The rows of one final test: a history row, and for a failed, flaky, skipped or pending test also a copy,
 * evidence or a mark. Streamed tests and uploads write the same rows.
 */
import { type Delete, type Put, put, remove } from '#shared/engine/table/writes.ts';
import { recordIdOf, runOfInstance, signatureOf } from '#shared/model/ids.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import { affectedTests } from '#shared/model/tests/affected-test.ts';
import { displayedError, totalDuration } from '#shared/model/tests/attempt.ts';
import { type Evidence, type EvidencePart, evidenceParts, splitEvidence } from '#shared/model/tests/evidence.ts';
import { type Failure, failures, type Mark, markOf } from '#shared/model/tests/failures.ts';
import { type HistoryRow, history } from '#shared/model/tests/history-row.ts';
import { type CountedTest, isNotable, leavesEvidence } from '#shared/model/tests/outcomes.ts';
import { type QuarantinedTest, quarantinedTests } from '#shared/model/tests/quarantined-test.ts';
import { isRuleRow, type KeptRow, ruleOf, ruleRow, type TestRecord } from '#shared/model/tests/test-record.ts';
import { affectedRows, isQuarantined } from './affected-rows.ts';
import { withinEvidenceBudget } from './evidence-budget.ts';

/** The history rows of a final test. Failed, flaky, skipped and pending tests also get a copy in the list `notable`. */
function historyRowOf(
  record: TestRecord,
  { outcome, flaky, expectedStatus }: CountedTest & { readonly expectedStatus: string },
): HistoryRow {
  return {
    ...record,
    tags: mergeTags(record.tags, record.testTags),
    signature: signatureOf(record),
    list: 'all',
    recordedAt: record.finalAt ?? 0,
    recordId: recordIdOf(record),
    outcome,
    flaky,
    expectedStatus,
    duration: totalDuration(record.attempts),
    attempts: record.attempts.map(({ state, startedAt, duration }) => [state, startedAt, duration] as const),
    hasErrors: displayedError(record.attempts) !== undefined,
    expiresAt: record.expiry.results,
  };
}

const copyOf = (row: HistoryRow): HistoryRow => ({ ...row, list: 'notable' });

export interface FinalResult {
  readonly record: TestRecord;
  readonly counted: CountedTest & { readonly expectedStatus: string };
  /** Returns the evidence, which is parsed only if the test keeps diagnostics. */
  readonly evidence: () => Evidence;
}

export interface ResultRows {
  readonly history: HistoryRow;
  /** The kinds of rows besides the history row. */
  readonly kept: readonly KeptRow[];
  /** All rows of the test, except `moreEvidence`. */
  readonly puts: readonly Put[];
  /** Further parts of the evidence. Readers ignore them until the first part has the same version. */
  readonly moreEvidence: readonly EvidencePart[];
}

export function resultRows({ record, counted, evidence }: FinalResult): ResultRows {
  const row = historyRowOf(record, counted);
  const mark = markOf(counted);
  const affected = affectedRows(row);
  const quarantined = isQuarantined(row);
  const { organizationId, instanceId, testKey, sequence, expiry } = record;
  const key = { organizationId, instanceId, testKey, expiresAt: expiry.evidence };
  const [first, ...moreEvidence] = leavesEvidence(counted)
    ? splitEvidence(key, withinEvidenceBudget(evidence()), sequence)
    : [];
  return {
    history: row,
    kept: [
      ...(isNotable(counted) ? ['copy' as const] : []),
      ...(first ? ['evidence' as const] : []),
      ...(mark ? [mark] : []),
      ...affected.map(({ actionId }) => ruleRow(actionId)),
      ...(quarantined ? ['quarantined' as const] : []),
    ],
    puts: [
      put(history, row),
      ...(isNotable(counted) ? [put(history, copyOf(row))] : []),
      ...(first ? [put(evidenceParts, first)] : []),
      ...(mark ? [put(failures, failureOf(record, mark))] : []),
      ...affected.map((one) => put(affectedTests, one)),
      ...(quarantined ? [put(quarantinedTests, quarantinedOf(record))] : []),
    ],
    moreEvidence,
  };
}

/** Deletes rows that an earlier result of the test left. */
export const outdatedRows = (record: TestRecord, row: HistoryRow, kinds: readonly KeptRow[]): Delete[] =>
  kinds.map((kind) => {
    if (kind === 'copy') return remove(history, copyOf(row));
    if (kind === 'quarantined') return remove(quarantinedTests, quarantinedOf(record));
    if (isRuleRow(kind)) return remove(affectedTests, { ...row, actionId: ruleOf(kind) });
    // Deletes only the first part of the evidence. Without it, readers ignore the others.
    return kind === 'evidence'
      ? remove(evidenceParts, { ...record, part: 0 })
      : remove(failures, failureOf(record, kind));
  });

function quarantinedOf({
  organizationId,
  instanceId,
  testKey,
  testId,
  groupId,
  spec,
  title,
  expiry,
}: TestRecord): QuarantinedTest {
  const runId = runOfInstance(instanceId) ?? '';
  return { organizationId, runId, instanceId, testKey, testId, groupId, spec, title, expiresAt: expiry.results };
}

function failureOf({ organizationId, instanceId, testKey, groupId, spec, expiry }: TestRecord, mark: Mark): Failure {
  const runId = runOfInstance(instanceId) ?? '';
  return { organizationId, instanceId, testKey, groupId, spec, runId, mark, expiresAt: expiry.results };
}
