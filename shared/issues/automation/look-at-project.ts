/**
 * §5.2 One pass over a project: reads the states of its issues, looks at the runs that ended, and does what the
 * settings ask for. If a pass is killed, the next one completes its work. Only a comment that the killed pass was about
 * to write may be missing.
 */
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
import type { ProjectKey } from '#shared/model/keys.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import type { TrackerServices } from '../open-integration.ts';
import { PassConnections } from './connections.ts';
import { followEndedRuns } from './follow-ended-runs.ts';
import { IssueBook } from './issue-book.ts';
import { AUTOMATION_LIMITS } from './limits.ts';
import type { Pass } from './pass.ts';
import { keepQuarantines } from './quarantine.ts';
import { isFollowed, readStates } from './read-states.ts';
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
  const ofOrganization = makeLookup(organizations, key);
  const ofProject = makeLookup(projects, key);
  const ofSettings = makeLookup(issueAutomation, key);
  const rows = await services.table.getTogether([ofOrganization, ofProject, ofSettings], { consistent: true });
  const organization = rows.of(ofOrganization);
  const project = rows.of(ofProject);
  if (!organization || organization.deactivatedAt !== undefined || !project) {
    await forgetProject(services, key);
    return { kind: 'never' };
  }
  if (!isInUse(project))
    return { kind: 'at', dueAt: getNextMultiple(services.now(), AUTOMATION_LIMITS.deletedMilliseconds) };
  const lease = await acquireLease(services, key);
  if (lease.kind !== 'held') return lease;
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
    settings: resolveAutomation(key, rows.of(ofSettings)),
    issues: await IssueBook.open(services, key),
    connections: new PassConnections(services, { ...key, until: services.now() + milliseconds }),
    quarantined: new Set(quarantines.map(({ signature }) => signature)),
    note: (message) => {
      problem = message;
    },
  };
  await readStates(pass);
  const hasMore = await followEndedRuns(pass);
  await keepQuarantines(pass, quarantines);
  const next = await planNextLook(pass, hasMore);
  // Whether the runs of the project matter to an issue or a setting.
  const hasReason = pass.issues.list().length > 0 || isOn(pass.settings);
  await releaseLease(services, lease.tracking, { problem, isIdle: next.kind === 'never' && !hasReason });
  return next;
}

async function planNextLook(pass: Pass, hasMore: boolean): Promise<NextLook> {
  const now = pass.services.now();
  if (hasMore) return { kind: 'at', dueAt: getNextMultiple(now, AUTOMATION_LIMITS.runMilliseconds) };
  const followedIssues = pass.issues.list().filter((issue) => isFollowed(pass, issue));
  const integrationIds = new Set(followedIssues.map(({ integrationId }) => integrationId));
  const connections = await Promise.all([...integrationIds].map((id) => pass.connections.find(id)));
  const hasConnection = connections.some((integration) => integration !== undefined);
  if (!hasConnection && pass.quarantined.size === 0) return { kind: 'never' };
  return { kind: 'at', dueAt: getNextMultiple(now, ISSUE_LIMITS.stateMilliseconds) };
}

type Lease = { readonly kind: 'held'; readonly tracking: IssueTracking } | { readonly kind: 'busy' | 'never' };

/** The lease of a killed call expires. Returns `never` if an earlier pass found nothing and removed the row. */
async function acquireLease({ table, now }: TrackerServices, key: ProjectKey): Promise<Lease> {
  const at = now();
  const leasedUntil = at + AUTOMATION_LIMITS.leaseMilliseconds;
  const isFree = { any: [{ absent: 'leasedUntil' }, { path: 'leasedUntil', atMost: at }] } as const;
  const result = await table.update(
    issueTracking,
    key,
    { set: [['leasedUntil', leasedUntil]] },
    { all: [{ present: 'pk' }, isFree] },
  );
  if (result.done) return { kind: 'held', tracking: result.item };
  return { kind: result.item ? 'busy' : 'never' };
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
