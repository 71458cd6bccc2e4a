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
import type { ProjectKey } from '#shared/model/keys.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import {
  endedRuns,
  getEndedRunsSpan,
  getIssueQuarantinesSpan,
  type IssueTracking,
  issueAutomation,
  issueQuarantines,
  issueTracking,
} from '#shared/model/tests/issue-automation.ts';
import type { KnownIssue } from '#shared/model/tests/known-issue.ts';
import { type Marks, readMarksOfRun } from '#shared/results/marked-tests.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import type { TrackerServices } from '../open-integration.ts';
import { Connections, problemIn, TrackerPaused, TrackerUnusable } from './connections.ts';
import { createAutomatically } from './create-automatically.ts';
import { followRun } from './follow-run.ts';
import { IssueBook } from './issue-book.ts';
import { AUTOMATION_LIMITS } from './limits.ts';
import { daysBefore, type Pass } from './pass.ts';
import { keepQuarantines } from './quarantine.ts';
import { resultsIn } from './run-results.ts';
import { automationOf, isOn } from './settings.ts';

export type Next =
  | { readonly kind: 'at'; readonly dueAt: number }
  /** Nothing is left to look at until a run ends, or somebody links an issue or changes the settings. */
  | { readonly kind: 'never' }
  /** Another call is looking at the project. */
  | { readonly kind: 'busy' };

/** Returns when to look at the project again. */
export async function lookAtProject(
  services: TrackerServices,
  { organizationId, projectId }: ProjectKey,
  { remainingMilliseconds }: { readonly remainingMilliseconds: () => number },
): Promise<Next> {
  const key = { organizationId, projectId };
  const wanted = [makeLookup(organizations, key), makeLookup(projects, key), makeLookup(issueAutomation, key)] as const;
  const found = await services.table.getTogether(wanted, { consistent: true });
  const organization = found.of(wanted[0]);
  const project = found.of(wanted[1]);
  if (!organization || organization.deactivatedAt !== undefined || !project) {
    await forget(services, key);
    return { kind: 'never' };
  }
  if (!isInUse(project))
    return { kind: 'at', dueAt: getNextMultiple(services.now(), AUTOMATION_LIMITS.deletedMilliseconds) };
  const tracking = await lease(services, key);
  if (tracking === 'busy' || tracking === 'never') return { kind: tracking };
  let problem: string | undefined;
  const milliseconds = Math.min(
    AUTOMATION_LIMITS.projectMilliseconds,
    remainingMilliseconds() - AUTOMATION_LIMITS.marginMilliseconds / 2,
  );
  const existing = await services.table.queryAll(issueQuarantines, getIssueQuarantinesSpan(key), { consistent: true });
  const pass: Pass = {
    services,
    project,
    settings: automationOf(key, found.of(wanted[2])),
    issues: await IssueBook.open(services, key),
    connections: new Connections(services, { ...key, until: services.now() + milliseconds }),
    quarantined: new Set(existing.map(({ signature }) => signature)),
    note: (message) => {
      problem = message;
    },
  };
  await readStates(pass);
  const hasMore = await lookAtRuns(pass);
  await keepQuarantines(pass, existing);
  const next = await nextOf(pass, hasMore);
  // Whether the runs of the project matter to an issue or a setting.
  const hasReason = pass.issues.all().length > 0 || isOn(pass.settings);
  await release(services, tracking, { problem, isIdle: next.kind === 'never' && !hasReason });
  return next;
}

async function nextOf(pass: Pass, hasMore: boolean): Promise<Next> {
  const now = pass.services.now();
  if (hasMore) return { kind: 'at', dueAt: getNextMultiple(now, AUTOMATION_LIMITS.runMilliseconds) };
  const followed = pass.issues.all().filter((issue) => isFollowed(pass, issue));
  const found = await Promise.all(
    [...new Set(followed.map(({ integrationId }) => integrationId))].map((id) => pass.connections.find(id)),
  );
  const goesOn = found.some((integration) => integration !== undefined) || pass.quarantined.size > 0;
  return goesOn ? { kind: 'at', dueAt: getNextMultiple(now, ISSUE_LIMITS.stateMilliseconds) } : { kind: 'never' };
}

/**
 * Keeps other calls from looking at the project at the same time. The lease of a killed call expires. Returns `never`
 * if an earlier pass found nothing to look at and removed the row.
 */
async function lease({ table, now }: TrackerServices, key: ProjectKey): Promise<IssueTracking | 'busy' | 'never'> {
  const at = now();
  const leasedUntil = at + AUTOMATION_LIMITS.leaseMilliseconds;
  const isFree = { any: [{ absent: 'leasedUntil' }, { path: 'leasedUntil', atMost: at }] } as const;
  const taken = await table.update(
    issueTracking,
    key,
    { set: [['leasedUntil', leasedUntil]] },
    { all: [{ present: 'pk' }, isFree] },
  );
  if (taken.done) return taken.item;
  return taken.item ? 'busy' : 'never';
}

/**
 * Ends the lease. Removes the row of a project without issues and automation, unless another pass was requested in the
 * meantime.
 */
async function release(
  { table, now }: TrackerServices,
  { leasedUntil = 0, askedAt, ...tracking }: IssueTracking,
  { problem, isIdle }: { readonly problem: string | undefined; readonly isIdle: boolean },
): Promise<void> {
  const own = { path: 'leasedUntil', equals: leasedUntil } as const;
  const unasked = { all: [own, { path: 'askedAt', equals: askedAt }] } as const;
  if (isIdle && (await table.transact([removeWhen(issueTracking, tracking, unasked)]))) return;
  const set = toAssignments({ problem: problem === undefined ? undefined : { at: now(), message: problem } });
  await table.update(issueTracking, tracking, { set, remove: ['leasedUntil'] }, own);
}

/** Removes what is left of a project that no longer exists, or whose organization was deactivated. */
async function forget({ table }: TrackerServices, key: ProjectKey): Promise<void> {
  const left = await table.queryAll(endedRuns, getEndedRunsSpan(key), { consistent: true });
  await table.writeMany([...left.map((row) => remove(endedRuns, row)), remove(issueTracking, key)]);
}

/**
 * Looks at the ended runs of the project that no earlier pass has looked at, oldest first. Returns whether runs are left
 * for the next pass.
 */
async function lookAtRuns(pass: Pass): Promise<boolean> {
  const { services, project } = pass;
  const { table } = services;
  const limit = AUTOMATION_LIMITS.runsPerPass;
  const { rows, lastRead } = await table.query(endedRuns, getEndedRunsSpan(project), { limit, consistent: true });
  const noticed = rows.map(({ item }) => item);
  const own = noticed.filter(({ branch }) => branch === project.defaultBranchName);
  const found = await table.getMany(runs, own, { consistent: true });
  const counted = found.flatMap((run) => (run && counts(run, project.defaultBranchName) ? run : []));
  const ids = new Set(counted.map(({ runId }) => runId));
  await table.writeMany(noticed.filter(({ runId }) => !ids.has(runId)).map((row) => remove(endedRuns, row)));
  try {
    await lookAt(pass, counted);
  } catch (error) {
    if (error instanceof TrackerPaused) return true;
    throw error;
  }
  return lastRead !== undefined;
}

/**
 * Only complete runs on the default branch count. Incomplete runs may lack results, and failures on other branches may
 * be work in progress.
 */
const counts = ({ completionState, listed }: Run, branch: string): boolean =>
  completionState === 'COMPLETE' && listed?.branch === branch;

async function lookAt(pass: Pass, counted: readonly Run[]): Promise<void> {
  if (counted.length === 0) return;
  const { services, settings } = pass;
  const marks = new Map<string, Marks>();
  for (const run of counted) marks.set(run.runId, await readMarksOfRun(services, run));
  const resultOf = await resultsIn(services, counted, signaturesToRead(pass, [...marks.values()]));
  const newest = new Map(counted.map((run) => [run.listed?.groups, run.runId]));
  for (const run of counted) {
    await followRun(pass, run, resultOf);
    const own = marks.get(run.runId);
    // An older run of the same groups no longer says whether a test keeps failing.
    if (own && settings.target && newest.get(run.listed?.groups) === run.runId)
      await createAutomatically(pass, run, own);
    await services.table.writeMany([remove(endedRuns, run)]);
  }
}

/**
 * The signatures of the tests whose results are read: those of issues that are not done, and of issues that are done if
 * a test of the same spec file failed or was flaky.
 */
function signaturesToRead({ issues }: Pass, all: readonly Marks[]): string[] {
  const specs = new Set(all.flatMap(({ failed, flaky }) => [...failed.tests, ...flaky.tests].map(({ spec }) => spec)));
  return issues.all().flatMap(({ state, spec, signature }) => (state !== 'done' || specs.has(spec) ? signature : []));
}

/**
 * Whether the state of the issue is still read regularly: while its test is quarantined because of an issue, and for
 * some time after the test last failed or was flaky.
 */
const isFollowed = ({ quarantined, services }: Pick<Pass, 'quarantined' | 'services'>, issue: KnownIssue) =>
  quarantined.has(issue.signature) || issue.seenAt >= daysBefore(services.now(), AUTOMATION_LIMITS.followedDays);

/**
 * The number of the 15-minute interval. A state is due again in the next interval, even if it was read less than 15
 * minutes ago.
 */
const slotOf = (at: number): number => Math.floor(at / ISSUE_LIMITS.stateMilliseconds);

/** Reads the states that are due, least recently read first. If there are too many, a later pass reads the rest. */
async function readStates(pass: Pass): Promise<void> {
  const now = pass.services.now();
  const all = pass.issues.byTrackerIssue();
  const usable = await pass.connections.usable(all.flatMap(([first]) => first?.integrationId ?? []));
  const due = all
    .flatMap((links) => {
      const [first] = links.toSorted((one, other) => one.checkedAt - other.checkedAt);
      const isDue = first && usable.has(first.integrationId) && slotOf(first.checkedAt) < slotOf(now);
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
    const problem = problemIn(error);
    if (problem?.verdict.kind === 'missing') return issues.store(issue, undefined);
    if (problem === undefined) throw error;
    note(`The state of ${issue.key} could not be read. ${problem.message}`);
  }
}
