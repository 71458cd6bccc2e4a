/** §2.4 A trace has arrived: what it says of the browser is kept beside the evidence of its test. */
import { leavesEvidence } from '../outcomes.ts';
import { type Artifact, objectKey } from '../resources/artifact.ts';
import { traceAnalyses } from '../resources/evidence.ts';
import { runOfInstance, testKeyOf } from '../resources/ids.ts';
import { instances, resultsOf } from '../resources/instance.ts';
import type { Services } from '../services.ts';
import { readTrace, type TraceReading } from '../traces/read-trace.ts';

export interface TraceNote {
  readonly trace: 'read' | 'refused' | 'not needed' | 'gone';
  readonly instanceId: string;
  readonly artifactId: string;
  readonly reason?: string;
  readonly detail?: string;
}

/**
 * May be repeated. A file that cannot be read, or must not be, is a note, not an error: it would be the same file the
 * next time. Throws when the store cannot be reached.
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

/** Nobody asks why a test passed. One that has not ended yet may still fail. */
async function passedClean(
  { table }: Services,
  { organizationId, instanceId }: Artifact,
  testKey: string,
): Promise<boolean> {
  const runId = runOfInstance(instanceId) ?? '';
  const instance = await table.get(instances, { organizationId, runId, instanceId }, { consistent: true });
  const result = instance && new Map(resultsOf(instance)).get(testKey);
  return result !== undefined && !leavesEvidence(result);
}

async function keep(
  { table }: Services,
  { organizationId, instanceId }: Artifact,
  { testKey, attempt, reading }: { testKey: string; attempt: number; reading: TraceReading & { kind: 'read' } },
): Promise<void> {
  await table.put(traceAnalyses, { organizationId, instanceId, testKey, attempt, analysis: reading.analysis });
}
