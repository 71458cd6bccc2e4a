/** §5.2 Creates issues for tests that keep failing or became flaky, if the settings of the project ask for that. */
import { AUTOMATION } from '#shared/access/actor.ts';
import { DAY_SECONDS } from '#shared/engine/durations.ts';
import { ApiError } from '#shared/engine/errors.ts';
import { ABSENT, PRESENT, put, update } from '#shared/engine/table/writes.ts';
import {
  type AutomaticIssue,
  automaticIssues,
  getAutomaticIssuesSpan,
  issuesOfDay,
} from '#shared/model/issues/issue-automation.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { findFailingSince } from '#shared/results/executions/failing-since.ts';
import { readLatestExecutions } from '#shared/results/executions/latest-executions.ts';
import type { Marks } from '#shared/results/failures/marked-tests.ts';
import { createIssue } from '../create-issue.ts';
import { findTrackerProblem, TrackerPaused, TrackerUnusable } from './connections.ts';
import { type IssueCandidate, listCandidates } from './issue-candidates.ts';
import { AUTOMATION_LIMITS } from './limits.ts';
import { type Pass, subtractDays } from './pass.ts';
import { mayCreateIssues } from './settings.ts';

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
    const issueOfDay = testIssues.find((one) => one.day === day);
    const mayCreate = issueOfDay
      ? // A test gets at most one issue per day, and none on a day on which the tracker refused it.
        issueOfDay.state === 'begun'
      : (await shouldCreateIssue(pass, run, candidate, testIssues)) && (await beginIssue(pass, candidate, day));
    if (mayCreate) await createIssueOfTest(pass, candidate, day);
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
  const linkedIssues = issues.listOfTest(candidate.signature);
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
