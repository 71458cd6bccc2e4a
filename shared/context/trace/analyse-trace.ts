/** §2.4 Analyzes an uploaded trace and stores the result with the evidence of its test. */

import { testKeyOf } from '#shared/model/ids.ts';
import { type Artifact, objectKey } from '#shared/model/tests/artifact.ts';
import { traceAnalyses } from '#shared/model/tests/evidence.ts';
import { leavesEvidence } from '#shared/model/tests/outcomes.ts';
import { testRecords } from '#shared/model/tests/test-record.ts';
import { countedOf } from '#shared/results/outcome.ts';
import type { Services } from '#shared/services.ts';
import { readTrace, type TraceReading } from './read-trace.ts';

export interface TraceNote {
  readonly trace: 'read' | 'refused' | 'not needed' | 'gone';
  readonly instanceId: string;
  readonly artifactId: string;
  readonly reason?: string;
  readonly detail?: string;
}

/**
 * Analyzes an uploaded trace. Idempotent. An unreadable or refused file is a note rather than an error: a retry would
 * read the same file. Throws only if the store cannot be reached.
 */
export async function analyseTrace(services: Services, artifact: Artifact): Promise<TraceNote> {
  const { instanceId, artifactId, testId, attempt = 0 } = artifact;
  const note = { instanceId, artifactId };
  if (testId === undefined || (await passedClean(services, artifact, testKeyOf(testId)))) {
    return { trace: 'not needed', ...note };
  }
  const file = await services.artifacts.open(objectKey(artifact));
  if (!file) return { trace: 'gone', ...note };
  const reading = await readTrace(file, services.now);
  if (reading.kind === 'refused') return { trace: 'refused', ...note, reason: reading.reason, detail: reading.detail };
  await keep(services, artifact, { testKey: testKeyOf(testId), attempt, reading });
  return { trace: 'read', ...note };
}

/** A passed test needs no analysis. A test that has not ended may still fail. */
async function passedClean(
  { table }: Services,
  { organizationId, instanceId }: Artifact,
  testKey: string,
): Promise<boolean> {
  const record = await table.get(testRecords, { organizationId, instanceId, testKey }, { consistent: true });
  // Passed tests of a batch upload have no record of their own.
  return !record || (record.done && !leavesEvidence(countedOf(record)));
}

async function keep(
  { table }: Services,
  { organizationId, instanceId, expiry }: Artifact,
  { testKey, attempt, reading }: { testKey: string; attempt: number; reading: TraceReading & { kind: 'read' } },
): Promise<void> {
  const key = { organizationId, instanceId, testKey, attempt };
  await table.put(traceAnalyses, { ...key, analysis: reading.analysis, expiresAt: expiry.evidence });
}
