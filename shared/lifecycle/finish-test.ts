/** Writes the rows of a finished test, and completes its instance if no other test is open. Idempotent in each step. */
import { keepResult } from '#shared/ingest/keep-result.ts';
import { isMilestone, refreshProgress } from '#shared/ingest/publish-progress.ts';
import type { RecordChange } from '#shared/ingest/write-record.ts';
import { extractRunId } from '#shared/model/ids.ts';
import type { Evidence } from '#shared/model/results/evidence.ts';
import { isFailure } from '#shared/model/results/outcomes.ts';
import type { TestRecord } from '#shared/model/results/test-record.ts';
import { isUnderWay, runs } from '#shared/model/runs/run.ts';
import { resolveExpectedStatus, toCountedTest } from '#shared/results/outcome.ts';
import type { Services } from '#shared/services.ts';
import { countLateResults } from './complete-run.ts';
import { noteFailedTest } from './fail-run.ts';
import { isBrokenOff } from './judge-run.ts';
import { reviewInstance } from './review-instance.ts';

/**
 * `record` is the record of a finished test. `evidence` comes from the final message about the test. A repetition of the
 * first final message completes what that one has begun, if its request was interrupted.
 */
export async function finishTest(
  services: Services,
  record: TestRecord,
  evidence: () => Evidence,
  { isRepetition }: Pick<RecordChange, 'isRepetition'> = { isRepetition: false },
): Promise<void> {
  const countedTest = { ...toCountedTest(record), expectedStatus: resolveExpectedStatus(record) };
  await keepResult(services, { record, counted: countedTest, evidence });
  const mayChangeResult = record.finals > 1 && !isRepetition;
  await updateInstance(services, record, { mustReview: record.watched === true || mayChangeResult });
}

/** Updates the counters if needed, passes the `watched` mark on to another open test, and updates the run. */
async function updateInstance(
  services: Services,
  record: TestRecord,
  { mustReview }: { readonly mustReview: boolean },
): Promise<void> {
  const { organizationId, instanceId, testKey } = record;
  const key = { organizationId, instanceId, runId: extractRunId(instanceId) ?? '' };
  const runAfterFailure = isFailure(toCountedTest(record).outcome) ? await noteFailedTest(services, key) : undefined;
  // Completing the instance also updates the status of its run.
  if (mustReview && (await reviewInstance(services, key)).isComplete) return;
  const isCounted = !mustReview && isMilestone(testKey, record.expectedTests ?? 0);
  const results = isCounted ? await refreshProgress(services, key) : undefined;
  // Only a failure, a corrected or the first result can change the status of a cancelled or timed-out run. The results may
  // lack this one, because they are read eventually consistently.
  const mayJudge = mustReview || (results !== undefined && results.counters.overall <= 1);
  const run = runAfterFailure ?? (mayJudge ? await services.table.get(runs, key, { consistent: true }) : undefined);
  if (!run || isUnderWay(run)) return;
  // A test that no suite names began before its instance was complete, and failed after the end of the run.
  const isUnnoticed = runAfterFailure !== undefined && !mustReview;
  if (!isBrokenOff(run) && !isUnnoticed) return;
  // The status of the run is derived from the counters of its instances, so they are updated first.
  if (!mustReview) await reviewInstance(services, key);
  await countLateResults(services, key);
}
