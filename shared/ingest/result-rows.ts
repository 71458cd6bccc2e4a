/**
 * §2.4 The rows of one finished test: a history row, and further rows if the test failed, was flaky, did not run, or
 * matched a rule. Streamed tests and uploads write the same rows.
 */

import { isJsonWithin } from '#shared/engine/byte-budget.ts';
import { BEGINNING_CUT } from '#shared/engine/cut-text.ts';
import { type Delete, type Put, put, remove } from '#shared/engine/table/writes.ts';
import { listCauseTraits } from '#shared/errors/cause-traits.ts';
import { maskBeginning } from '#shared/masking/masking.ts';
import { deriveRecordId, deriveSignature, extractRunId } from '#shared/model/ids.ts';
import { type AttemptError, findDisplayedError, sumDurations } from '#shared/model/results/attempt.ts';
import {
  type AttemptEvidence,
  type Evidence,
  type EvidencePart,
  type EvidenceStep,
  evidenceParts,
  flattenSteps,
  NEVER_ENDED,
  type PlacedStep,
  splitEvidence,
} from '#shared/model/results/evidence.ts';
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
  const mark = findFailureMark(counted);
  const affectedRows = buildAffectedRows(row);
  const wasQuarantined = isQuarantined(row);
  const { organizationId, instanceId, testKey, sequence, expiry } = record;
  const key = { organizationId, instanceId, testKey, expiresAt: expiry.evidence };
  const [first, ...moreEvidence] = shouldStoreEvidence(counted)
    ? splitEvidence(key, limitEvidence(evidence()), sequence)
    : [];
  return {
    history: row,
    kept: [
      ...(isNotable(counted) ? ['copy' as const] : []),
      ...(first ? ['evidence' as const] : []),
      ...(mark ? [mark] : []),
      ...affectedRows.map(({ actionId }) => toRuleRow(actionId)),
      ...(wasQuarantined ? ['quarantined' as const] : []),
    ],
    puts: [
      put(history, row),
      ...(isNotable(counted) ? [put(history, copyToNotable(row))] : []),
      ...(first ? [put(evidenceParts, first)] : []),
      ...(mark ? [put(failures, buildFailure(record, mark))] : []),
      ...affectedRows.map((one) => put(affectedTests, one)),
      ...(wasQuarantined ? [put(quarantinedTests, buildQuarantinedTest(record))] : []),
    ],
    moreEvidence,
  };
}

/** The rows of these kinds that an earlier result of the test left behind. */
export const planOutdatedRowRemoval = (record: TestRecord, row: HistoryRow, kinds: readonly KeptRow[]): Delete[] =>
  kinds.map((kind) => {
    if (kind === 'copy') return remove(history, copyToNotable(row));
    if (kind === 'quarantined') return remove(quarantinedTests, buildQuarantinedTest(record));
    if (isRuleRow(kind)) return remove(affectedTests, { ...row, actionId: extractRuleId(kind) });
    // Deletes only the first part of the evidence. Readers ignore the other parts if the first one is missing.
    return kind === 'evidence'
      ? remove(evidenceParts, { ...record, part: 0 })
      : remove(failures, { ...record, runId: extractRunId(record.instanceId) ?? '', mark: kind });
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

// Shortens evidence that is too large, so that a page of failed tests can still be loaded.

/** Every attempt gets an equal share: half of it for steps, and a quarter each for stdout and stderr. */
function limitEvidence(evidence: Evidence): Evidence {
  if (isJsonWithin(evidence, INGEST_LIMITS.evidenceBytes)) return evidence;
  const share = Math.floor(INGEST_LIMITS.evidenceBytes / evidence.length) - INGEST_LIMITS.attemptBytes;
  return evidence.map((attempt) => (isJsonWithin(attempt, share) ? attempt : shortenAttemptEvidence(attempt, share)));
}

function shortenAttemptEvidence({ steps, stdout, stderr }: AttemptEvidence, bytes: number): AttemptEvidence {
  return {
    steps: pickHelpfulSteps(steps, Math.floor(bytes / 2)),
    stdout: keepLastPieces(stdout, Math.floor(bytes / 4)),
    stderr: keepLastPieces(stderr, Math.floor(bytes / 4)),
  };
}

type PlacedEvidenceStep = PlacedStep<EvidenceStep>;

/**
 * Keeps the steps that are most useful for explaining a failure: first the failed steps with their parents and
 * neighbors, then the last steps. A placeholder step says how many steps were left out.
 */
function pickHelpfulSteps(steps: readonly EvidenceStep[], bytes: number): EvidenceStep[] {
  const all = flattenSteps(steps);
  const failedSteps = all.filter(({ step }) => step.error !== null || step.duration === NEVER_ENDED);
  // The failed steps that contain no other failed step.
  const innermost = failedSteps.filter(({ end }, place) => (failedSteps[place + 1]?.index ?? end) >= end);
  const neighbors = innermost.flatMap(({ index, end }) => [all.findLast((step) => step.end <= index), all[end]]);
  const keptSteps = new Map<PlacedEvidenceStep, EvidenceStep>();
  let left = bytes - INGEST_LIMITS.attemptBytes;
  for (const candidate of [...innermost, ...neighbors, ...all.toReversed()]) {
    const newSteps = [...walkToRoot(candidate)]
      .filter((step) => !keptSteps.has(step))
      .map((step) => [step, dropNestedSteps(step)] as const);
    const cost = newSteps.reduce((sum, [, step]) => sum + Buffer.byteLength(JSON.stringify(step)) + 1, 0);
    if (cost > left) continue;
    left -= cost;
    for (const [placedStep, step] of newSteps) keptSteps.set(placedStep, step);
  }
  const roots = nestSteps(all, keptSteps);
  const omittedCount = all.length - keptSteps.size;
  const title = `[${omittedCount} of the steps left out: the evidence of this test is too large]`;
  return omittedCount === 0 ? roots : [{ title, category: '', duration: 0, error: null, steps: [] }, ...roots];
}

function* walkToRoot(start: PlacedEvidenceStep | undefined): Generator<PlacedEvidenceStep> {
  for (let step = start; step; step = step.parent) yield step;
}

/**
 * A step without its nested steps. The test and each parent of a failed step repeat the error, so a long message is
 * left out here. It is not cut, because masking would miss a secret that is cut in half.
 */
function dropNestedSteps({ step }: PlacedEvidenceStep): EvidenceStep {
  const { error } = step;
  const isShort = (error?.message.length ?? 0) <= INGEST_LIMITS.shortMessageCharacters;
  return {
    ...step,
    error: error && { ...error, message: isShort ? error.message : '[message left out]', snippet: null },
    steps: [],
  };
}

function nestSteps(
  all: readonly PlacedEvidenceStep[],
  keptSteps: ReadonlyMap<PlacedEvidenceStep, EvidenceStep>,
): EvidenceStep[] {
  const roots: EvidenceStep[] = [];
  const nestedOf = new Map<PlacedEvidenceStep, EvidenceStep[]>();
  for (const placedStep of all) {
    const step = keptSteps.get(placedStep);
    if (!step) continue;
    const steps: EvidenceStep[] = [];
    nestedOf.set(placedStep, steps);
    const siblings = placedStep.parent ? nestedOf.get(placedStep.parent) : roots;
    siblings?.push({ ...step, steps });
  }
  return roots;
}

/** The last pieces of the output, as many as fit into `bytes`. */
function keepLastPieces(pieces: readonly string[], bytes: number): string[] {
  let left = bytes - INGEST_LIMITS.attemptBytes;
  const first = pieces.findLastIndex((piece) => {
    left -= Buffer.byteLength(JSON.stringify(piece)) + 1;
    return left < 0;
  });
  if (first === -1) return [...pieces];
  return [BEGINNING_CUT, ...pieces.slice(first + 1)];
}
