/** Writes the history, evidence and failure of a final test, and may complete its instance. Each step is idempotent. */
import { historyRowOf, writeHistory } from '#shared/ingest/history-rows.ts';
import { dropEvidence, keepEvidence, noteFailure } from '#shared/ingest/keep-evidence.ts';
import { isMilestone, refreshCounters } from '#shared/ingest/publish-counters.ts';
import { noteFailedTest } from '#shared/lifecycle/fail-run.ts';
import { judgeBrokenOff } from '#shared/lifecycle/judge-run.ts';
import { reviewInstance } from '#shared/lifecycle/review-instance.ts';
import { runOfInstance } from '#shared/model/ids.ts';
import { isFailure, isNotable, leavesEvidence } from '#shared/model/outcomes.ts';
import { runs } from '#shared/model/run.ts';
import { type TestRecord, testRecords } from '#shared/model/test-record.ts';
import { countedOf, expectedStatusOf } from '#shared/results/outcome.ts';
import type { Services } from '#shared/services.ts';
import { evidenceIn } from './evidence-wire.ts';

/** `sent`: the raw message that made the test final. It contains the evidence. */
export async function finishTest(services: Services, record: TestRecord, sent: unknown): Promise<void> {
  const { organizationId, instanceId, testKey, sequence, finals } = record;
  const key = { organizationId, instanceId, testKey };
  const counted = countedOf(record);
  const wasFinal = finals > 1;
  await writeHistory(
    services,
    historyRowOf(record, { ...counted, expectedStatus: expectedStatusOf(record) }),
    wasFinal,
  );
  if (leavesEvidence(counted)) await keepEvidence(services, key, evidenceIn(sent), sequence);
  else if (wasFinal) await dropEvidence(services, key);
  await noteFailure(services, record, { counted, wasFinal });
  if (!wasFinal && isNotable(counted)) await followNewest(services, record);
  await updateInstance(services, record);
}

/** A concurrent, newer final message may have written its mark before this one. */
async function followNewest({ table }: Services, { finals, ...key }: TestRecord): Promise<void> {
  const newest = await table.get(testRecords, key, { consistent: true });
  if (newest && newest.finals > finals) {
    await noteFailure({ table }, newest, { counted: countedOf(newest), wasFinal: true });
  }
}

/** Updates the counters if needed, moves the `watched` mark, and updates the run. */
async function updateInstance(services: Services, record: TestRecord): Promise<void> {
  const { organizationId, instanceId, testKey, finals } = record;
  const key = { organizationId, instanceId, runId: runOfInstance(instanceId) ?? '' };
  const failed = isFailure(countedOf(record).outcome) ? await noteFailedTest(services, key) : undefined;
  const mustReview = record.watched === true || finals > 1;
  // Completing the instance also judges its run.
  if (mustReview && (await reviewInstance(services, key))) return;
  const isCounted = !mustReview && isMilestone(testKey, record.expectedTests ?? 0);
  const instance = isCounted ? await refreshCounters(services, key) : undefined;
  // These change the status of a cancelled or timed-out run: a failure, a correction, and its first result.
  const mayJudge = mustReview || instance?.counters.overall === 1;
  const run = failed ?? (mayJudge ? await services.table.get(runs, key, { consistent: true }) : undefined);
  await judgeBrokenOff(services, run);
}
