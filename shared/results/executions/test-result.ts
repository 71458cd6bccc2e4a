/** §2.2 One execution of one test. */

import type * as z from 'zod';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { isValidTime } from '#shared/engine/time.ts';
import { composeAttemptId, extractRunId, splitRecordId } from '#shared/model/ids.ts';
import {
  type Attempt,
  findDisplayedError,
  type Annotation as StoredAnnotation,
  type AttemptError as StoredError,
} from '#shared/model/results/attempt.ts';
import type { HistoryRow } from '#shared/model/results/history-row.ts';
import type { AnnotationWire, AttemptErrorWire, TestAttempt, TestResult } from './test-result-wire.ts';

export const toIsoTimeOrNull = (milliseconds: number | null): string | null =>
  milliseconds !== null && isValidTime(milliseconds) ? formatIsoTime(milliseconds) : null;

// §2 does not allow null for the optional members of a test result. `undefined` leaves them out of the JSON.

export const presentError = ({ message, stack, location }: StoredError): z.infer<typeof AttemptErrorWire> => ({
  message,
  stack: stack ?? undefined,
  location: location ?? undefined,
});

export const presentAnnotation = ({ type, description }: StoredAnnotation): z.infer<typeof AnnotationWire> => ({
  type,
  description: description ?? undefined,
});

const presentCommit = ({ branch, authorEmail, authorName, sha, message }: HistoryRow) => ({
  branch: branch ?? undefined,
  authorEmail: authorEmail ?? undefined,
  authorName: authorName ?? undefined,
  sha: sha ?? undefined,
  message: message ?? undefined,
});

/** `attempts` are those in the test record, needed only if the row has errors. */
export function presentTestResult(
  row: HistoryRow,
  cursor: string,
  attempts: readonly Attempt[] | undefined,
): z.infer<typeof TestResult> {
  const instanceId = splitRecordId(row.recordId)?.instanceId ?? '';
  const error = attempts && (row.outcome === 'failed' || row.flaky) ? findDisplayedError(attempts) : undefined;
  return {
    cursor,
    signature: row.signature,
    framework: row.framework,
    createdAt: formatIsoTime(row.recordedAt),
    projectId: row.projectId,
    groupId: row.groupId,
    runId: extractRunId(instanceId) ?? '',
    instanceId,
    spec: row.spec,
    machineId: row.machineId,
    tags: [...row.tags],
    title: [...row.title],
    testId: row.testId,
    displayError: error?.message ?? null,
    commit: presentCommit(row),
    duration: row.duration,
    flaky: row.flaky,
    expectedStatus: row.expectedStatus,
    status: row.outcome,
    attempts: row.attempts.map((attemptOfRow, index) =>
      presentAttempt(row.recordId, attemptOfRow, attempts?.[index], index),
    ),
    annotations: row.annotations.map(presentAnnotation),
  };
}

function presentAttempt(
  recordId: string,
  [state, startTime, duration]: HistoryRow['attempts'][number],
  attempt: Attempt | undefined,
  index: number,
): z.infer<typeof TestAttempt> {
  const [error] = attempt?.errors ?? [];
  return {
    attemptId: composeAttemptId(recordId, attempt?.attempt ?? index),
    state,
    error: error ? presentError(error) : null,
    startedAt: toIsoTimeOrNull(startTime) ?? undefined,
    duration,
  };
}
