/**
 * §2.4 The rows of one finished test: a history row, and further rows if the test failed, was flaky, did not run, or
 * matched a rule. Streamed tests and uploads write the same rows.
 */
import { type Delete, type Put, put, remove } from '#shared/engine/table/writes.ts';
import { listCauseTraits } from '#shared/errors/cause-traits.ts';
import { maskBeginning } from '#shared/masking/masking.ts';
import { deriveRecordId, deriveSignature, extractRunId } from '#shared/model/ids.ts';
import { type AttemptError, findDisplayedError, sumDurations } from '#shared/model/results/attempt.ts';
import { type Evidence, type EvidencePart, evidenceParts, splitEvidence } from '#shared/model/results/evidence.ts';
import {
  type Failure,
  type FailureTraits,
  failures,
  findFailureMark,
  type Mark,
} from '#shared/model/results/failures.ts';
import { type HistoryRow, history } from '#shared/model/results/history-row.ts';
import { type CountedTest, isNotable, shouldStoreEvidence } from '#shared/model/results/outcomes.ts';
import {
  extractRuleId,
  isRuleRow,
  type KeptRow,
  type TestRecord,
  toRuleRow,
} from '#shared/model/results/test-record.ts';
import { affectedTests } from '#shared/model/rules/affected-test.ts';
import { type QuarantinedTest, quarantinedTests } from '#shared/model/rules/quarantined-test.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import { buildAffectedRows, isQuarantined } from './affected-rows.ts';
import { limitEvidence } from './limit-evidence.ts';
import { INGEST_LIMITS } from './limits.ts';

/** Failed, flaky, skipped and pending tests also get a copy in the list `notable`. */
function buildHistoryRow(
  record: TestRecord,
  { outcome, flaky, expectedStatus }: CountedTest & { readonly expectedStatus: string },
): HistoryRow {
  return {
    ...record,
    tags: mergeTags(record.tags, record.testTags),
    signature: deriveSignature(record),
    list: 'all',
    recordedAt: record.finalAt ?? 0,
    recordId: deriveRecordId(record),
    outcome,
    flaky,
    expectedStatus,
    duration: sumDurations(record.attempts),
    attempts: record.attempts.map(({ state, startedAt, duration }) => [state, startedAt, duration] as const),
    hasErrors: findDisplayedError(record.attempts) !== undefined,
    expiresAt: record.expiry.results,
  };
}

const copyToNotable = (row: HistoryRow): HistoryRow => ({ ...row, list: 'notable' });

export interface FinalResult {
  readonly record: TestRecord;
  readonly counted: CountedTest & { readonly expectedStatus: string };
  /** Returns the evidence. It is parsed only if the diagnostics of the test are stored. */
  readonly evidence: () => Evidence;
}

export interface ResultRows {
  readonly history: HistoryRow;
  /** The kinds of rows besides the history row. */
  readonly kept: readonly KeptRow[];
  /** The rows to write, including the history row, but without `moreEvidence`. */
  readonly puts: readonly Put[];
  /** The parts of the evidence after the first part. Readers ignore them until the first part has the same version. */
  readonly moreEvidence: readonly EvidencePart[];
}

export function buildResultRows({ record, counted, evidence }: FinalResult): ResultRows {
  const row = buildHistoryRow(record, counted);
  const kept: KeptRow[] = [];
  const puts: Put[] = [put(history, row)];
  if (isNotable(counted)) {
    kept.push('copy');
    puts.push(put(history, copyToNotable(row)));
  }
  const { organizationId, instanceId, testKey, sequence, expiry } = record;
  const key = { organizationId, instanceId, testKey, expiresAt: expiry.evidence };
  const [first, ...moreEvidence] = shouldStoreEvidence(counted)
    ? splitEvidence(key, limitEvidence(evidence()), sequence)
    : [];
  if (first) {
    kept.push('evidence');
    puts.push(put(evidenceParts, first));
  }
  const mark = findFailureMark(counted);
  if (mark) {
    kept.push(mark);
    puts.push(put(failures, buildFailure(record, mark)));
  }
  for (const affectedRow of buildAffectedRows(row)) {
    kept.push(toRuleRow(affectedRow.actionId));
    puts.push(put(affectedTests, affectedRow));
  }
  if (isQuarantined(row)) {
    kept.push('quarantined');
    puts.push(put(quarantinedTests, buildQuarantinedTest(record)));
  }
  return { history: row, kept, puts, moreEvidence };
}

/** The rows of these kinds that an earlier result of the test left behind. */
export const planOutdatedRowRemoval = (record: TestRecord, row: HistoryRow, kinds: readonly KeptRow[]): Delete[] =>
  kinds.map((kind) => {
    if (kind === 'copy') return remove(history, copyToNotable(row));
    if (kind === 'quarantined') return remove(quarantinedTests, buildQuarantinedTest(record));
    if (isRuleRow(kind)) return remove(affectedTests, { ...row, actionId: extractRuleId(kind) });
    // Deletes only the first part of the evidence. Readers ignore the other parts if the first one is missing.
    if (kind === 'evidence') return remove(evidenceParts, { ...record, part: 0 });
    return remove(failures, { ...record, runId: extractRunId(record.instanceId) ?? '', mark: kind });
  });

function buildQuarantinedTest({
  organizationId,
  instanceId,
  testKey,
  testId,
  groupId,
  spec,
  title,
  expiry,
}: TestRecord): QuarantinedTest {
  const runId = extractRunId(instanceId) ?? '';
  return { organizationId, runId, instanceId, testKey, testId, groupId, spec, title, expiresAt: expiry.results };
}

function buildFailure(record: TestRecord, mark: Mark): Failure {
  const { organizationId, instanceId, testKey, groupId, spec, expiry } = record;
  const runId = extractRunId(instanceId) ?? '';
  const traits = deriveTraits(findDisplayedError(record.attempts));
  return { organizationId, instanceId, testKey, groupId, spec, runId, mark, traits, expiresAt: expiry.results };
}

/** Secrets are masked before values are picked, because a part of a secret would not match any known format. */
function deriveTraits(error: AttemptError | undefined): FailureTraits {
  if (!error) return [];
  const characters = INGEST_LIMITS.causeCharacters;
  return listCauseTraits({
    message: maskBeginning(error.message, characters),
    stack: error.stack === null ? null : maskBeginning(error.stack, characters),
  });
}
