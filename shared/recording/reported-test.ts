/** Translates messages of the reporters into the terms of the product. */
import { withPlausibleStarts } from '#shared/ingest/attempt-times.ts';
import type { ReportedInstance, ReportedTest } from '#shared/ingest/reported.ts';
import type { BatchInstance } from './batch-wire.ts';
import { evidenceIn } from './evidence-wire.ts';
import type { CreateTestRecordBody } from './test-wire.ts';

/** `sent`: the raw message, which contains the evidence. */
export const streamedTest = (body: CreateTestRecordBody, sent: unknown, now: number): ReportedTest => ({
  testId: body.testId,
  title: body.title,
  machineId: body.machineId,
  expectedStatus: body.expectedStatus,
  outcome: body._s,
  flaky: body._f,
  attempts: withPlausibleStarts(body.attempts, now),
  annotations: body.annotations,
  tags: body.tags,
  evidence: () => evidenceIn(sent),
});

export const uploadedInstance = ({ groupId, spec, results }: BatchInstance, now: number): ReportedInstance => ({
  groupId,
  spec,
  tests: results.tests.map(({ test, sent }) => ({
    testId: test.testId,
    title: test.title,
    expectedStatus: test.expectedStatus,
    outcome: test.state,
    flaky: test.isFlaky,
    attempts: withPlausibleStarts(test.attempts, now),
    annotations: test.annotations,
    tags: test.tags,
    evidence: () => evidenceIn(sent),
  })),
});
