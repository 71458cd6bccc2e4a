/** §5.2 The tests of a run for which the settings of its project may ask for an issue. */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { deriveSignature } from '#shared/model/ids.ts';
import { getHistorySpan, history } from '#shared/model/results/history-row.ts';
import { isStub, testRecords } from '#shared/model/results/test-record.ts';
import { completeRuns, getEarlierCompleteRunsSpan } from '#shared/model/runs/complete-run.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { type MarkedTest, type Marks, readMarkedTests } from '#shared/results/failures/marked-tests.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { AUTOMATION_LIMITS } from './limits.ts';
import { type Pass, subtractDays } from './pass.ts';
import { getRunId } from './run-results.ts';

export interface IssueCandidate {
  readonly reason: 'failing' | 'flaky';
  readonly signature: string;
  readonly instanceId: string;
  readonly testId: string;
  readonly groupId: string;
}

/** Returns each test only once, even if it failed in several groups. */
export async function listCandidates(pass: Pass, run: Run, marks: Marks): Promise<IssueCandidate[]> {
  const { createsAfterFailures, createsWhenFlaky } = pass.settings;
  const failingTests =
    createsAfterFailures === undefined ? [] : await listTestsFailingInARow(pass, run, marks, createsAfterFailures);
  const flakyTests = createsWhenFlaky ? marks.flaky.tests.slice(0, AUTOMATION_LIMITS.candidates) : [];
  const failingCandidates = await toCandidates(pass, run, failingTests, 'failing');
  const flakyCandidates = await toCandidates(pass, run, flakyTests, 'flaky');
  const knownFlakyCandidates = await filterKnownFlakyTests(pass, run, flakyCandidates);
  const candidatesBySignature = Map.groupBy([...failingCandidates, ...knownFlakyCandidates], (one) => one.signature);
  return [...candidatesBySignature.values()].flatMap(([first]) => first ?? []);
}

/** The tests that failed in this run and in each of the `count - 1` complete runs of the same groups before it. */
async function listTestsFailingInARow(
  { services }: Pass,
  run: Run,
  { failed }: Marks,
  count: number,
): Promise<readonly MarkedTest[]> {
  const { table } = services;
  if (failed.tests.length === 0 || !run.listed) return [];
  if (count === 1) return failed.tests.slice(0, AUTOMATION_LIMITS.candidates);
  const span = getEarlierCompleteRunsSpan({ ...run, ...run.listed }, run.createdAt);
  const { rows } = await table.query(completeRuns, span, { limit: count - 1, newestFirst: true });
  if (rows.length < count - 1) return [];
  const limit = RESULT_LIMITS.comparison.marks;
  const earlierFailures = await mapConcurrently(rows, ({ item }) =>
    readMarkedTests(services, { run: item, mark: 'f', limit }),
  );
  return failed.tests
    .filter(({ place }) => earlierFailures.every(({ places }) => places.has(place)))
    .slice(0, AUTOMATION_LIMITS.candidates);
}

/** Leaves out tests without a record, for example if the run was deleted. */
async function toCandidates(
  { services, project }: Pass,
  { organizationId }: Run,
  tests: readonly MarkedTest[],
  reason: IssueCandidate['reason'],
): Promise<IssueCandidate[]> {
  const records = await services.table.getMany(testRecords, tests);
  return tests.flatMap(({ instanceId, groupId, spec }, index) => {
    const record = records[index];
    if (!record || isStub(record)) return [];
    const { testId, title } = record;
    const signature = deriveSignature({ organizationId, projectId: project.projectId, spec, title });
    return [{ reason, signature, instanceId, testId, groupId }];
  });
}

/** The tests that were flaky often enough, in complete runs on the default branch, to count as known flaky tests. */
async function filterKnownFlakyTests(
  { services, project }: Pass,
  run: Run,
  tests: readonly IssueCandidate[],
): Promise<IssueCandidate[]> {
  const { organizationId, defaultBranchName } = project;
  const until = (run.endedAt ?? run.createdAt) + 1;
  const { days, events } = RESULT_LIMITS.flaky;
  const limit = AUTOMATION_LIMITS.flakyExecutions;
  const candidates = await mapConcurrently(tests, async (test) => {
    const span = getHistorySpan({ ...test, organizationId, list: 'notable' }, subtractDays(until, days), until);
    const { rows } = await services.table.query(history, span, { limit, newestFirst: true });
    const flakyRows = rows.map(({ item }) => item).filter(({ flaky, branch }) => flaky && branch === defaultBranchName);
    const runIds = [...new Set(flakyRows.flatMap((row) => getRunId(row) ?? []))];
    const keys = runIds.map((runId) => ({ organizationId, runId }));
    const flakyRuns = await services.table.getMany(runs, keys);
    const ids = new Set(flakyRuns.flatMap((one) => (one?.completionState === 'COMPLETE' ? [one.runId] : [])));
    const countedRows = flakyRows.filter((row) => ids.has(getRunId(row) ?? ''));
    return countedRows.length >= events ? [test] : [];
  });
  return candidates.flat();
}
