/** §5.2 Creates issues for tests that keep failing or became flaky, if the settings of the project ask for that. */
import { AUTOMATION } from '#shared/access/actor.ts';
import { ApiError } from '#shared/engine/errors.ts';
import { PRESENT, put } from '#shared/engine/table/writes.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { type AutomaticIssue, automaticIssues, automaticIssuesSpan } from '#shared/model/tests/issue-automation.ts';
import { failingSince } from '#shared/results/failing-since.ts';
import { latestExecutions } from '#shared/results/latest-executions.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import type { Marks } from '#shared/results/marked-tests.ts';
import { createIssue } from '../create-issue.ts';
import { type Candidate, candidatesIn } from './candidates.ts';
import { problemIn, TrackerPaused, TrackerUnusable } from './connections.ts';
import { AUTOMATION_LIMITS } from './limits.ts';
import { daysBefore, type Pass } from './pass.ts';
import { creates } from './settings.ts';

const DAY_SECONDS = 86_400;

/** Throws `TrackerPaused` if an issue can only be created later. */
export async function createAutomatically(pass: Pass, run: Run, marks: Marks): Promise<void> {
  const { settings, services, project } = pass;
  if (!settings.target || !creates(settings)) return;
  const candidates = await candidatesIn(pass, run, marks);
  if (candidates.length === 0) return;
  const made = await services.table.queryAll(automaticIssues, automaticIssuesSpan(project), { consistent: true });
  const day = new Date(services.now()).toISOString().slice(0, 10);
  const ofDay = new Set(made.flatMap((one) => (one.day === day ? [one.signature] : [])));
  for (const candidate of candidates) {
    const own = made.filter(({ signature }) => signature === candidate.signature);
    if (own.some((one) => one.day === day && one.state === 'refused')) continue;
    const isBegun = own.some((one) => one.day === day && one.state === 'begun');
    if (!isBegun && !(await needsIssue(pass, run, candidate, own))) continue;
    if (!ofDay.has(candidate.signature) && ofDay.size >= settings.createsPerDay) continue;
    ofDay.add(candidate.signature);
    await create(pass, candidate, day);
  }
}

/**
 * A test gets no second issue while one is open. A failing test gets another issue only if it began to fail after the
 * last one was created, and a flaky test only if the last one is older than the period in which flaky results count. So
 * nobody has to close or unlink an issue again and again.
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
  switch (candidate.reason) {
    case 'flaky':
      return lastAt < daysBefore(services.now(), RESULT_LIMITS.flaky.days);
    case 'failing': {
      const { organizationId, defaultBranchName: branch } = project;
      const { signature, groupId } = candidate;
      const until = run.endedAt ?? services.now();
      const latest = await latestExecutions(services, { organizationId, signature, until });
      const since = failingSince(latest, { branch, groupId, runId: run.runId });
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
    const createdAt = services.now();
    const expiresAt = Math.ceil(createdAt / 1000) + AUTOMATION_LIMITS.rememberedDays * DAY_SECONDS;
    const begun: AutomaticIssue = { ...of, createdAt, state: 'begun', expiresAt };
    await services.table.writeMany([put(automaticIssues, begun)]);
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
