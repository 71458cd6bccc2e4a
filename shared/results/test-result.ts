/** §2.2 One execution of one test. */
import * as z from 'zod';
import { RecordedTestOutcome } from '../outcomes.ts';
import { type Attempt, displayedError } from '../resources/attempt.ts';
import type { HistoryRow } from '../resources/history-row.ts';
import { attemptIdOf, partsOfRecord, runOfInstance } from '../resources/ids.ts';

const dateTime = z.string().meta({ format: 'date-time' });
const nullable = z.string().nullable();

export const AttemptError = z
  .object({
    message: z.string(),
    stack: nullable,
    location: z.object({ file: z.string(), line: z.int(), column: z.int() }).nullable(),
  })
  .meta({ id: 'AttemptError' });

const TestAttempt = z
  .object({
    attemptId: z.string(),
    state: z.string(),
    error: AttemptError.nullable(),
    startedAt: dateTime.nullable(),
    duration: z.int().meta({ description: 'Milliseconds' }),
  })
  .meta({ id: 'TestAttempt' });

export const TestResult = z
  .object({
    cursor: z.string(),
    signature: z.string(),
    framework: z.string(),
    createdAt: dateTime,
    projectId: z.string(),
    groupId: z.string(),
    runId: z.string(),
    instanceId: z.string(),
    spec: z.string(),
    machineId: z.string(),
    tags: z.array(z.string()),
    title: z.array(z.string()),
    testId: z.string(),
    displayError: nullable,
    commit: z.object({
      branch: nullable,
      authorEmail: nullable,
      authorName: nullable,
      sha: nullable,
      message: nullable.meta({ description: 'Subject line' }),
    }),
    duration: z.int().meta({ description: 'Milliseconds, all attempts together' }),
    flaky: z.boolean(),
    expectedStatus: nullable,
    status: RecordedTestOutcome,
    attempts: z.array(TestAttempt),
    annotations: z.array(z.object({ type: z.string(), description: nullable })).nullable(),
  })
  .meta({ id: 'TestResult' });

export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** Times a runner reports may be anything; what no date can hold is unknown. */
export const isoTimeOrNull = (milliseconds: number | null): string | null =>
  milliseconds === null || Number.isNaN(new Date(milliseconds).getTime()) ? null : isoTime(milliseconds);

/** `attempts` are those of the test record, where the row says that errors are kept there. */
export function presentTestResult(
  row: HistoryRow,
  cursor: string,
  attempts: readonly Attempt[] | undefined,
): z.infer<typeof TestResult> {
  const instanceId = partsOfRecord(row.recordId)?.instanceId ?? '';
  const { branch, authorEmail, authorName, sha, message } = row;
  const error = attempts && (row.outcome === 'failed' || row.flaky) ? displayedError(attempts) : undefined;
  return {
    cursor,
    signature: row.signature,
    framework: row.framework,
    createdAt: isoTime(row.recordedAt),
    projectId: row.projectId,
    groupId: row.groupId,
    runId: runOfInstance(instanceId) ?? '',
    instanceId,
    spec: row.spec,
    machineId: row.machineId,
    tags: [...row.tags],
    title: [...row.title],
    testId: row.testId,
    displayError: error?.message ?? null,
    commit: { branch, authorEmail, authorName, sha, message },
    duration: row.duration,
    flaky: row.flaky,
    expectedStatus: row.expectedStatus,
    status: row.outcome,
    attempts: row.attempts.map(([state, startedAt, duration], index) => ({
      attemptId: attemptIdOf(row.recordId, attempts?.[index]?.attempt ?? index),
      state,
      error: attempts?.[index]?.errors[0] ?? null,
      startedAt: isoTimeOrNull(startedAt),
      duration,
    })),
    annotations: row.annotations.map(({ type, description }) => ({ type, description })),
  };
}
