/**
 * §5.2 One pass over a project: reads the states of its issues, looks at the runs that ended, and does what the
 * settings ask for. If a pass is killed, the next one completes its work. Only a comment that the killed pass was about
 * to write may be missing.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { remove, removeWhen } from '#shared/engine/table/writes.ts';
import { isInUse } from '#shared/find-project.ts';
import { getNextMultiple } from '#shared/model/due.ts';
import {
  endedRuns,
  getEndedRunsSpan,
  getIssueQuarantinesSpan,
  type IssueTracking,
  issueAutomation,
  issueQuarantines,
  issueTracking,
} from '#shared/model/issues/issue-automation.ts';
import type { KnownIssue } from '#shared/model/issues/known-issue.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { type Marks, readMarksOfRun } from '#shared/results/failures/marked-tests.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import type { TrackerServices } from '../open-integration.ts';
import { findTrackerProblem, PassConnections, TrackerPaused, TrackerUnusable } from './connections.ts';
import { createAutomatically } from './create-automatically.ts';
import { followRun } from './follow-run.ts';
import { IssueBook } from './issue-book.ts';
import { AUTOMATION_LIMITS } from './limits.ts';
import { type Pass, subtractDays } from './pass.ts';
import { keepQuarantines } from './quarantine.ts';
import { readResults } from './run-results.ts';
import { isOn, resolveAutomation } from './settings.ts';

export type NextLook =
  | { readonly kind: 'at'; readonly dueAt: number }
  /** Nothing is left to look at until a run ends, or somebody links an issue or changes the settings. */
  | { readonly kind: 'never' }
  /** Another call is looking at the project. */
  | { readonly kind: 'busy' };

export async function lookAtProject(
  services: TrackerServices,
  { organizationId, projectId }: ProjectKey,
  { remainingMilliseconds }: { readonly remainingMilliseconds: () => number },
): Promise<NextLook> {
  const key = { organizationId, projectId };
  const lookups = [
    makeLookup(organizations, key),
    makeLookup(projects, key),
    makeLookup(issueAutomation, key),
  ] as const;
  const rows = await services.table.getTogether(lookups, { consistent: true });
  const organization = rows.of(lookups[0]);
  const project = rows.of(lookups[1]);
  if (!organization || organization.deactivatedAt !== undefined || !project) {
    await forgetProject(services, key);
    return { kind: 'never' };
  }
  if (!isInUse(project))
    return { kind: 'at', dueAt: getNextMultiple(services.now(), AUTOMATION_LIMITS.deletedMilliseconds) };
  const tracking = await acquireLease(services, key);
  if (tracking === 'busy' || tracking === 'never') return { kind: tracking };
  let problem: string | undefined;
  const milliseconds = Math.min(
    AUTOMATION_LIMITS.projectMilliseconds,
    remainingMilliseconds() - AUTOMATION_LIMITS.marginMilliseconds / 2,
  );
  const quarantines = await services.table.queryAll(issueQuarantines, getIssueQuarantinesSpan(key), {
    consistent: true,
  });
  const pass: Pass = {
    services,
    project,
    settings: resolveAutomation(key, rows.of(lookups[2])),
    issues: await IssueBook.open(services, key),
    connections: new PassConnections(services, { ...key, until: services.now() + milliseconds }),
    quarantined: new Set(quarantines.map(({ signature }) => signature)),
    note: (message) => {
      problem = message;
    },
  };
  await readStates(pass);
  const hasMore = await lookAtRuns(pass);
  await keepQuarantines(pass, quarantines);
  const next = await planNextLook(pass, hasMore);
  // Whether the runs of the project matter to an issue or a setting.
  const hasReason = pass.issues.all().length > 0 || isOn(pass.settings);
  await releaseLease(services, tracking, { problem, isIdle: next.kind === 'never' && !hasReason });
  return next;
}

async function planNextLook(pass: Pass, hasMore: boolean): Promise<NextLook> {
  const now = pass.services.now();
  if (hasMore) return { kind: 'at', dueAt: getNextMultiple(now, AUTOMATION_LIMITS.runMilliseconds) };
  const followedIssues = pass.issues.all().filter((issue) => isFollowed(pass, issue));
  const connections = await Promise.all(
    [...new Set(followedIssues.map(({ integrationId }) => integrationId))].map((id) => pass.connections.find(id)),
  );
  const shouldContinue = connections.some((integration) => integration !== undefined) || pass.quarantined.size > 0;
  return shouldContinue
    ? { kind: 'at', dueAt: getNextMultiple(now, ISSUE_LIMITS.stateMilliseconds) }
    : { kind: 'never' };
}

/** The lease of a killed call expires. Returns `never` if an earlier pass found nothing and removed the row. */
async function acquireLease(
  { table, now }: TrackerServices,
  key: ProjectKey,
): Promise<IssueTracking | 'busy' | 'never'> {
  const at = now();
  const leasedUntil = at + AUTOMATION_LIMITS.leaseMilliseconds;
  const isFree = { any: [{ absent: 'leasedUntil' }, { path: 'leasedUntil', atMost: at }] } as const;
  const result = await table.update(
    issueTracking,
    key,
    { set: [['leasedUntil', leasedUntil]] },
    { all: [{ present: 'pk' }, isFree] },
  );
  if (result.done) return result.item;
  return result.item ? 'busy' : 'never';
}

/** Removes the row of a project without issues and automation, unless another pass was requested in the meantime. */
async function releaseLease(
  { table, now }: TrackerServices,
  { leasedUntil = 0, askedAt, ...tracking }: IssueTracking,
  { problem, isIdle }: { readonly problem: string | undefined; readonly isIdle: boolean },
): Promise<void> {
  const leaseCondition = { path: 'leasedUntil', equals: leasedUntil } as const;
  const idleCondition = { all: [leaseCondition, { path: 'askedAt', equals: askedAt }] } as const;
  if (isIdle && (await table.transact([removeWhen(issueTracking, tracking, idleCondition)]))) return;
  const set = toAssignments({ problem: problem === undefined ? undefined : { at: now(), message: problem } });
  await table.update(issueTracking, tracking, { set, remove: ['leasedUntil'] }, leaseCondition);
}

/** Removes what is left of a project that no longer exists, or whose organization was deactivated. */
async function forgetProject({ table }: TrackerServices, key: ProjectKey): Promise<void> {
  const left = await table.queryAll(endedRuns, getEndedRunsSpan(key), { consistent: true });
  await table.writeMany([...left.map((row) => remove(endedRuns, row)), remove(issueTracking, key)]);
}

/** Oldest first. Returns whether runs are left for the next pass. */
async function lookAtRuns(pass: Pass): Promise<boolean> {
  const { services, project } = pass;
  const { table } = services;
  const limit = AUTOMATION_LIMITS.runsPerPass;
  const { rows, lastRead } = await table.query(endedRuns, getEndedRunsSpan(project), { limit, consistent: true });
  const endedRows = rows.map(({ item }) => item);
  const branchRows = endedRows.filter(({ branch }) => branch === project.defaultBranchName);
  const branchRuns = await table.getMany(runs, branchRows, { consistent: true });
  const countedRuns = branchRuns.flatMap((run) => (run && isCounted(run, project.defaultBranchName) ? run : []));
  const ids = new Set(countedRuns.map(({ runId }) => runId));
  await table.writeMany(endedRows.filter(({ runId }) => !ids.has(runId)).map((row) => remove(endedRuns, row)));
  try {
    await followRuns(pass, countedRuns);
  } catch (error) {
    if (error instanceof TrackerPaused) return true;
    throw error;
  }
  return lastRead !== undefined;
}

/** Incomplete runs may lack results, and failures on other branches may be work in progress. */
const isCounted = ({ completionState, listed }: Run, branch: string): boolean =>
  completionState === 'COMPLETE' && listed?.branch === branch;

async function followRuns(pass: Pass, countedRuns: readonly Run[]): Promise<void> {
  if (countedRuns.length === 0) return;
  const { services, settings } = pass;
  const marks = new Map<string, Marks>();
  for (const run of countedRuns) marks.set(run.runId, await readMarksOfRun(services, run));
  const findResult = await readResults(services, countedRuns, listSignaturesToRead(pass, [...marks.values()]));
  const newestRunIds = new Map(countedRuns.map((run) => [run.listed?.groups, run.runId]));
  for (const run of countedRuns) {
    await followRun(pass, run, findResult);
    const runMarks = marks.get(run.runId);
    // An older run of the same groups no longer says whether a test keeps failing.
    if (runMarks && settings.target && newestRunIds.get(run.listed?.groups) === run.runId)
      await createAutomatically(pass, run, runMarks);
    await services.table.writeMany([remove(endedRuns, run)]);
  }
}

/** Tests of issues that are done are read only if a test of the same spec file failed or was flaky. */
function listSignaturesToRead({ issues }: Pass, all: readonly Marks[]): string[] {
  const specs = new Set(all.flatMap(({ failed, flaky }) => [...failed.tests, ...flaky.tests].map(({ spec }) => spec)));
  return issues.all().flatMap(({ state, spec, signature }) => (state !== 'done' || specs.has(spec) ? signature : []));
}

/**
 * Whether the state of the issue is still read regularly: while its test is quarantined because of an issue, and for
 * some time after the test last failed or was flaky.
 */
const isFollowed = ({ quarantined, services }: Pick<Pass, 'quarantined' | 'services'>, issue: KnownIssue) =>
  quarantined.has(issue.signature) || issue.seenAt >= subtractDays(services.now(), AUTOMATION_LIMITS.followedDays);

/** States are due once in each 15-minute interval, even if the last one was read less than 15 minutes ago. */
const computeSlot = (at: number): number => Math.floor(at / ISSUE_LIMITS.stateMilliseconds);

/** Reads the states that are due, least recently read first. If there are too many, a later pass reads the rest. */
async function readStates(pass: Pass): Promise<void> {
  const now = pass.services.now();
  const all = pass.issues.byTrackerIssue();
  const usableIds = await pass.connections.listUsable(all.flatMap(([first]) => first?.integrationId ?? []));
  const due = all
    .flatMap((links) => {
      const [first] = links.toSorted((one, other) => one.checkedAt - other.checkedAt);
      const isDue = first && usableIds.has(first.integrationId) && computeSlot(first.checkedAt) < computeSlot(now);
      return isDue && links.some((link) => isFollowed(pass, link)) ? first : [];
    })
    .toSorted((one, other) => one.checkedAt - other.checkedAt)
    .slice(0, AUTOMATION_LIMITS.statesPerPass);
  await mapConcurrently(due, (issue) => readState(pass, issue), AUTOMATION_LIMITS.statesAtOnce);
}

async function readState({ connections, issues, note }: Pass, issue: KnownIssue): Promise<void> {
  try {
    await issues.store(issue, await connections.ask(issue.integrationId, (tracker) => tracker.get(issue.key)));
  } catch (error) {
    if (error instanceof TrackerPaused || error instanceof TrackerUnusable) return;
    const problem = findTrackerProblem(error);
    if (problem?.verdict.kind === 'missing') return issues.store(issue, undefined);
    if (problem === undefined) throw error;
    note(`The state of ${issue.key} could not be read. ${problem.message}`);
  }
}
