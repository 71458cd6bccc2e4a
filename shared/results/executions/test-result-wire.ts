/** §2.2 The wire shape of a test result. */
import * as z from 'zod';
import { dateTime } from '#shared/engine/http/date-time.ts';
import { RecordedTestOutcome } from '#shared/model/results/outcomes.ts';

const nullable = z.string().nullable();

export const AttemptErrorWire = z
  .object({
    message: z.string(),
    stack: z.string().optional(),
    location: z.object({ file: z.string(), line: z.int(), column: z.int() }).optional(),
  })
  .meta({ id: 'AttemptError' });

export const AnnotationWire = z
  .object({ type: z.string(), description: z.string().optional() })
  .meta({ id: 'Annotation' });

export const TestAttempt = z
  .object({
    attemptId: z.string(),
    state: z.string(),
    error: AttemptErrorWire.nullable(),
    startedAt: dateTime.optional(),
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
      branch: z.string().optional(),
      authorEmail: z.string().optional(),
      authorName: z.string().optional(),
      sha: z.string().optional(),
      message: z.string().optional().meta({ description: 'Subject line' }),
    }),
    duration: z.int().meta({ description: 'Duration of all attempts together, in milliseconds' }),
    flaky: z.boolean(),
    expectedStatus: nullable,
    status: RecordedTestOutcome,
    attempts: z.array(TestAttempt),
    annotations: z.array(AnnotationWire).nullable(),
  })
  .meta({ id: 'TestResult' });
