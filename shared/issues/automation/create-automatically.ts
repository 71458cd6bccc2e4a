/** §5.2 Creates issues for tests that keep failing or became flaky, if the settings of the project ask for that. */
import { AUTOMATION } from '#shared/access/actor.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { ApiError } from '#shared/engine/errors.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { ABSENT, PRESENT, put, update } from '#shared/engine/table/writes.ts';
import { deriveSignature } from '#shared/model/ids.ts';
import { completeRuns, getEarlierCompleteRunsSpan } from '#shared/model/runs/complete-run.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { getHistorySpan, history } from '#shared/model/tests/history-row.ts';
import {
  type AutomaticIssue,
  automaticIssues,
  getAutomaticIssuesSpan,
  issuesOfDay,
} from '#shared/model/tests/issue-automation.ts';
import { isStub, testRecords } from '#shared/model/tests/test-record.ts';
import { findFailingSince } from '#shared/results/failing-since.ts';
import { deriveKnownFlaky } from '#shared/results/known-flaky.ts';
import { readLatestExecutions } from '#shared/results/latest-executions.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { type MarkedTest, type Marks, readMarkedTests } from '#shared/results/marked-tests.ts';
import { createIssue } from '../create-issue.ts';
import { problemIn, TrackerPaused, TrackerUnusable } from './connections.ts';
import { AUTOMATION_LIMITS } from './limits.ts';
import { daysBefore, type Pass } from './pass.ts';
import { runOf } from './run-results.ts';
import { creates } from './settings.ts';

const DAY_SECONDS = 86_400;

/** Throws `TrackerPaused` if an issue can only be created later. */
export async function createAutomatically(pass: Pass, run: Run, marks: Marks): Promise<void> {
  const { settings, services, project } = pass;
  if (!settings.target || !creates(settings)) return;
  const candidates = await candidatesIn(pass, run, marks);
  if (candidates.length === 0) return;
  const made = await services.table.queryAll(automaticIssues, getAutomaticIssuesSpan(project), { consistent: true });
  const day = new Date(services.now()).toISOString().slice(0, 10);
  for (const candidate of candidates) {
    const own = made.filter(({ signature }) => signature === candidate.signature);
    const ofDay = own.find((one) => one.day === day);
    if (ofDay?.state === 'begun') await create(pass, candidate, day);
    // A test gets at most one issue per day, and none on a day on which the tracker refused it.
    else if (!ofDay && (await needsIssue(pass, run, candidate, own)) && (await beginIssue(pass, candidate, day)))
      await create(pass, candidate, day);
  }
}

/** Counts an issue toward the limit per day, before it is created. Returns false if the limit is reached. */
async function beginIssue(
  { services, settings, project }: Pass,
  { signature }: Candidate,
  day: string,
): Promise<boolean> {
  const { organizationId, projectId } = project;
  const of = { organizationId, projectId, day };
  const createdAt = services.now();
  const expiresAt = Math.ceil(createdAt / 1000) + AUTOMATION_LIMITS.rememberedDays * DAY_SECONDS;
  const hasRoom = { any: [{ absent: 'count' }, { path: 'count', atMost: settings.createsPerDay - 1 }] } as const;
  const begun: AutomaticIssue = { ...of, signature, createdAt, state: 'begun', expiresAt };
  return services.table.transact([
    put(automaticIssues, begun, ABSENT),
    update(issuesOfDay, of, { add: [['count', 1]], setIfAbsent: Object.entries({ ...of, expiresAt }) }, hasRoom),
  ]);
}

/**
 * A test gets no second issue while one is open, or within two weeks of the last one: a closed issue gets a comment if
 * the test fails again. A failing test then gets another issue only if it began to fail after the last one was created.
 * So an alternating test causes no loop, and nobody has to close or unlink an issue again and again.
 */
async function needsIssue(
  { issues, services, project }: Pass,
  run: Run,
  candidate: Candidate,
  made: readonly AutomaticIssue[],
): Promise<boolean> {
  const known = issues.ofTest(candidate.signature);
  if (known.some(({ state }) => state !== 'done')) return false;
  const created = made.filter(({ state }) => state === 'created');
  const lastAt = Math.max(0, ...[...known, ...created].map(({ createdAt }) => createdAt));
  if (lastAt === 0) return true;
  if (lastAt >= daysBefore(services.now(), AUTOMATION_LIMITS.againDays)) return false;
  switch (candidate.reason) {
    case 'flaky':
      return true;
    case 'failing': {
      const { organizationId, defaultBranchName: branch } = project;
      const { signature, groupId } = candidate;
      const until = run.endedAt ?? services.now();
      const latest = await readLatestExecutions(services, { organizationId, signature, until });
      const since = findFailingSince(latest, { branch, groupId, runId: run.runId });
      return since !== undefined && !since.mayBeEarlier && lastAt < Date.parse(since.createdAt);
    }
  }
}

async function create(pass: Pass, { signature, instanceId, testId }: Candidate, day: string): Promise<void> {
  const { services, settings, project, connections, issues, note } = pass;
  const { organizationId, projectId } = project;
  const { target } = settings;
  if (!target) return;
  const of = { organizationId, projectId, day, signature };
  const { trackerProjectId, issueTypeId } = target;
  const input = { instanceId, testId, integrationId: target.integrationId, trackerProjectId, issueTypeId };
  const becomes = (state: AutomaticIssue['state']) =>
    services.table.update(automaticIssues, of, { set: [['state', state]] }, PRESENT);
  try {
    await connections.check(target.integrationId);
    const request = { organizationId, projectId, actor: AUTOMATION, input };
    const { issue } = await connections.use(target.integrationId, (own) => createIssue(own, request));
    await becomes('created');
    issues.add(issue);
  } catch (error) {
    if (error instanceof TrackerPaused) throw error;
    if (error instanceof TrackerUnusable) return;
    if (!(error instanceof ApiError) && problemIn(error) === undefined) throw error;
    await becomes('refused');
    note(`An issue could not be created. ${error instanceof Error ? error.message : ''}`);
  }
}

// The tests of a run for which the settings of a project ask for an issue.

interface Candidate {
  readonly reason: 'failing' | 'flaky';
  readonly signature: string;
  readonly instanceId: string;
  readonly testId: string;
  readonly groupId: string;
}

/** Returns each test only once, even if it failed in several groups. */
async function candidatesIn(pass: Pass, run: Run, marks: Marks): Promise<Candidate[]> {
  const { createsAfterFailures, createsWhenFlaky } = pass.settings;
  const failing = createsAfterFailures === undefined ? [] : await failingInARow(pass, run, marks, createsAfterFailures);
  const flaky = createsWhenFlaky ? marks.flaky.tests.slice(0, AUTOMATION_LIMITS.candidates) : [];
  const all = [
    ...(await named(pass, run, failing, 'failing')),
    ...(await flakyAmong(pass, run, await named(pass, run, flaky, 'flaky'))),
  ];
  return [...Map.groupBy(all, ({ signature }) => signature).values()].flatMap(([first]) => first ?? []);
}

/** The tests that failed in this run and in each of the `count - 1` complete runs of the same groups before it. */
async function failingInARow(
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
  const earlier = await mapConcurrently(rows, ({ item }) => readMarkedTests(services, { run: item, mark: 'f', limit }));
  return failed.tests
    .filter(({ place }) => earlier.every(({ places }) => places.has(place)))
    .slice(0, AUTOMATION_LIMITS.candidates);
}

/** Looks up the ids and signatures of the tests. Leaves out tests without a record, for example if the run was deleted. */
async function named(
  { services, project }: Pass,
  { organizationId }: Run,
  tests: readonly MarkedTest[],
  reason: Candidate['reason'],
): Promise<Candidate[]> {
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
async function flakyAmong({ services, project }: Pass, run: Run, tests: readonly Candidate[]): Promise<Candidate[]> {
  const { organizationId, defaultBranchName } = project;
  const until = (run.endedAt ?? run.createdAt) + 1;
  const { days, executions: limit } = RESULT_LIMITS.flaky;
  const found = await mapConcurrently(tests, async (test) => {
    const span = getHistorySpan({ ...test, organizationId, list: 'notable' }, daysBefore(until, days), until);
    const { rows } = await services.table.query(history, span, { limit, newestFirst: true });
    const own = rows.map(({ item }) => item).filter(({ flaky, branch }) => flaky && branch === defaultBranchName);
    const runIds = [...new Set(own.flatMap((row) => runOf(row) ?? []))];
    const keys = runIds.map((runId) => ({ organizationId, runId }));
    const complete = await services.table.getMany(runs, keys);
    const ids = new Set(complete.flatMap((one) => (one?.completionState === 'COMPLETE' ? [one.runId] : [])));
    const counted = own.filter((row) => ids.has(runOf(row) ?? ''));
    const executions = counted.map(({ recordedAt }) => ({ flaky: true, createdAt: formatIsoTime(recordedAt) }));
    return deriveKnownFlaky(executions, { createdAt: formatIsoTime(until) }) ? [test] : [];
  });
  return found.flat();
}
