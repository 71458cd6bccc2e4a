/** §5.2 Creates issues for tests that keep failing or became flaky, if the settings of the project ask for that. */
import { AUTOMATION } from '#shared/access/actor.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { ApiError } from '#shared/engine/errors.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { ABSENT, PRESENT, put, update } from '#shared/engine/table/writes.ts';
import { deriveSignature } from '#shared/model/ids.ts';
import {
  type AutomaticIssue,
  automaticIssues,
  getAutomaticIssuesSpan,
  issuesOfDay,
} from '#shared/model/issues/issue-automation.ts';
import { getHistorySpan, history } from '#shared/model/results/history-row.ts';
import { isStub, testRecords } from '#shared/model/results/test-record.ts';
import { completeRuns, getEarlierCompleteRunsSpan } from '#shared/model/runs/complete-run.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { findFailingSince } from '#shared/results/executions/failing-since.ts';
import { deriveKnownFlaky } from '#shared/results/executions/known-flaky.ts';
import { readLatestExecutions } from '#shared/results/executions/latest-executions.ts';
import { type MarkedTest, type Marks, readMarkedTests } from '#shared/results/failures/marked-tests.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { createIssue } from '../create-issue.ts';
import { findTrackerProblem, TrackerPaused, TrackerUnusable } from './connections.ts';
import { AUTOMATION_LIMITS } from './limits.ts';
import { type Pass, subtractDays } from './pass.ts';
import { getRunId } from './run-results.ts';
import { mayCreateIssues } from './settings.ts';

const DAY_SECONDS = 86_400;

/** Throws `TrackerPaused` if an issue can only be created later. */
export async function createAutomatically(pass: Pass, run: Run, marks: Marks): Promise<void> {
  const { settings, services, project } = pass;
  if (!settings.target || !mayCreateIssues(settings)) return;
  const candidates = await listCandidates(pass, run, marks);
  if (candidates.length === 0) return;
  const earlierIssues = await services.table.queryAll(automaticIssues, getAutomaticIssuesSpan(project), {
    consistent: true,
  });
  const day = new Date(services.now()).toISOString().slice(0, 10);
  for (const candidate of candidates) {
    const testIssues = earlierIssues.filter(({ signature }) => signature === candidate.signature);
    const ofDay = testIssues.find((one) => one.day === day);
    if (ofDay?.state === 'begun') await createIssueOfTest(pass, candidate, day);
    // A test gets at most one issue per day, and none on a day on which the tracker refused it.
    else if (
      !ofDay &&
      (await shouldCreateIssue(pass, run, candidate, testIssues)) &&
      (await beginIssue(pass, candidate, day))
    )
      await createIssueOfTest(pass, candidate, day);
  }
}

/** Counts an issue toward the limit per day, before it is created. Returns false if the limit is reached. */
async function beginIssue(
  { services, settings, project }: Pass,
  { signature }: IssueCandidate,
  day: string,
): Promise<boolean> {
  const { organizationId, projectId } = project;
  const dayKey = { organizationId, projectId, day };
  const createdAt = services.now();
  const expiresAt = Math.ceil(createdAt / 1000) + AUTOMATION_LIMITS.rememberedDays * DAY_SECONDS;
  const hasRoom = { any: [{ absent: 'count' }, { path: 'count', atMost: settings.createsPerDay - 1 }] } as const;
  const issue: AutomaticIssue = { ...dayKey, signature, createdAt, state: 'begun', expiresAt };
  return services.table.transact([
    put(automaticIssues, issue, ABSENT),
    update(
      issuesOfDay,
      dayKey,
      { add: [['count', 1]], setIfAbsent: Object.entries({ ...dayKey, expiresAt }) },
      hasRoom,
    ),
  ]);
}

/**
 * A test gets no second issue while one is open, or within two weeks of the last one: a closed issue gets a comment if
 * the test fails again. A failing test then gets another issue only if it began to fail after the last one was created.
 * So an alternating test causes no loop, and nobody has to close or unlink an issue again and again.
 */
async function shouldCreateIssue(
  { issues, services, project }: Pass,
  run: Run,
  candidate: IssueCandidate,
  earlierIssues: readonly AutomaticIssue[],
): Promise<boolean> {
  const linkedIssues = issues.ofTest(candidate.signature);
  if (linkedIssues.some(({ state }) => state !== 'done')) return false;
  const createdIssues = earlierIssues.filter(({ state }) => state === 'created');
  const lastAt = Math.max(0, ...[...linkedIssues, ...createdIssues].map(({ createdAt }) => createdAt));
  if (lastAt === 0) return true;
  if (lastAt >= subtractDays(services.now(), AUTOMATION_LIMITS.againDays)) return false;
  switch (candidate.reason) {
    case 'flaky':
      return true;
    case 'failing': {
      const { organizationId, defaultBranchName: branch } = project;
      const { signature, groupId } = candidate;
      const until = run.endedAt ?? services.now();
      const executions = await readLatestExecutions(services, { organizationId, signature, until });
      const since = findFailingSince(executions, { branch, groupId, runId: run.runId });
      return since !== undefined && !since.mayBeEarlier && lastAt < Date.parse(since.createdAt);
    }
  }
}

async function createIssueOfTest(
  pass: Pass,
  { signature, instanceId, testId }: IssueCandidate,
  day: string,
): Promise<void> {
  const { services, settings, project, connections, issues, note } = pass;
  const { organizationId, projectId } = project;
  const { target } = settings;
  if (!target) return;
  const key = { organizationId, projectId, day, signature };
  const { trackerProjectId, issueTypeId } = target;
  const input = { instanceId, testId, integrationId: target.integrationId, trackerProjectId, issueTypeId };
  const setState = (state: AutomaticIssue['state']) =>
    services.table.update(automaticIssues, key, { set: [['state', state]] }, PRESENT);
  try {
    await connections.check(target.integrationId);
    const request = { organizationId, projectId, actor: AUTOMATION, input };
    const { issue } = await connections.use(target.integrationId, (trackerServices) =>
      createIssue(trackerServices, request),
    );
    await setState('created');
    issues.add(issue);
  } catch (error) {
    if (error instanceof TrackerPaused) throw error;
    if (error instanceof TrackerUnusable) return;
    if (!(error instanceof ApiError) && findTrackerProblem(error) === undefined) throw error;
    await setState('refused');
    note(`An issue could not be created. ${error instanceof Error ? error.message : ''}`);
  }
}

interface IssueCandidate {
  readonly reason: 'failing' | 'flaky';
  readonly signature: string;
  readonly instanceId: string;
  readonly testId: string;
  readonly groupId: string;
}

/** Returns each test only once, even if it failed in several groups. */
async function listCandidates(pass: Pass, run: Run, marks: Marks): Promise<IssueCandidate[]> {
  const { createsAfterFailures, createsWhenFlaky } = pass.settings;
  const failingTests =
    createsAfterFailures === undefined ? [] : await listTestsFailingInARow(pass, run, marks, createsAfterFailures);
  const flakyTests = createsWhenFlaky ? marks.flaky.tests.slice(0, AUTOMATION_LIMITS.candidates) : [];
  const all = [
    ...(await toCandidates(pass, run, failingTests, 'failing')),
    ...(await filterKnownFlakyTests(pass, run, await toCandidates(pass, run, flakyTests, 'flaky'))),
  ];
  return [...Map.groupBy(all, ({ signature }) => signature).values()].flatMap(([first]) => first ?? []);
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
  const { days, executions: limit } = RESULT_LIMITS.flaky;
  const candidates = await mapConcurrently(tests, async (test) => {
    const span = getHistorySpan({ ...test, organizationId, list: 'notable' }, subtractDays(until, days), until);
    const { rows } = await services.table.query(history, span, { limit, newestFirst: true });
    const flakyRows = rows.map(({ item }) => item).filter(({ flaky, branch }) => flaky && branch === defaultBranchName);
    const runIds = [...new Set(flakyRows.flatMap((row) => getRunId(row) ?? []))];
    const keys = runIds.map((runId) => ({ organizationId, runId }));
    const flakyRuns = await services.table.getMany(runs, keys);
    const ids = new Set(flakyRuns.flatMap((one) => (one?.completionState === 'COMPLETE' ? [one.runId] : [])));
    const countedRows = flakyRows.filter((row) => ids.has(getRunId(row) ?? ''));
    const executions = countedRows.map(({ recordedAt }) => ({ flaky: true, createdAt: formatIsoTime(recordedAt) }));
    return deriveKnownFlaky(executions, { createdAt: formatIsoTime(until) }) ? [test] : [];
  });
  return candidates.flat();
}
