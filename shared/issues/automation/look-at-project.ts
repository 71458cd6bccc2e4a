/**
 * §5.2 One pass over a project: reads the states of its issues, looks at the runs that ended, and does what the
 * settings ask for. If a pass is killed, the next one completes its work. Only a comment that the killed pass was about
 * to write may be missing.
 */
import { lookup } from '#shared/engine/table/found.ts';
import { setting } from '#shared/engine/table/update.ts';
import { remove, removeWhen } from '#shared/engine/table/writes.ts';
import { nextOnGrid } from '#shared/model/due.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { type ProjectKey, projects } from '#shared/model/organizations/project.ts';
import {
  endedRuns,
  endedRunsSpan,
  type IssueTracking,
  issueAutomation,
  issueQuarantines,
  issueQuarantinesSpan,
  issueTracking,
} from '#shared/model/tests/issue-automation.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import type { TrackerServices } from '../open-integration.ts';
import { Connections } from './connections.ts';
import { IssueBook } from './issue-book.ts';
import { AUTOMATION_LIMITS } from './limits.ts';
import { lookAtRuns } from './look-at-runs.ts';
import type { Pass } from './pass.ts';
import { keepQuarantines } from './quarantine.ts';
import { isFollowed, readStates } from './read-states.ts';
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
  const wanted = [lookup(organizations, key), lookup(projects, key), lookup(issueAutomation, key)] as const;
  const found = await services.table.getTogether(wanted, { consistent: true });
  const organization = found.of(wanted[0]);
  const project = found.of(wanted[1]);
  if (!organization || organization.deactivatedAt !== undefined || !project) {
    await forget(services, key);
    return { kind: 'never' };
  }
  const tracking = await lease(services, key);
  if (tracking === 'busy' || tracking === 'never') return { kind: tracking };
  let problem: string | undefined;
  const milliseconds = Math.min(
    AUTOMATION_LIMITS.projectMilliseconds,
    remainingMilliseconds() - AUTOMATION_LIMITS.marginMilliseconds / 2,
  );
  const existing = await services.table.queryAll(issueQuarantines, issueQuarantinesSpan(key), { consistent: true });
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
  if (hasMore) return { kind: 'at', dueAt: nextOnGrid(now, AUTOMATION_LIMITS.runMilliseconds) };
  const followed = pass.issues.all().filter((issue) => isFollowed(pass, issue));
  const found = await Promise.all(
    [...new Set(followed.map(({ integrationId }) => integrationId))].map((id) => pass.connections.find(id)),
  );
  const goesOn = found.some((integration) => integration !== undefined) || pass.quarantined.size > 0;
  return goesOn ? { kind: 'at', dueAt: nextOnGrid(now, ISSUE_LIMITS.stateMilliseconds) } : { kind: 'never' };
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
  return taken.existing ? 'busy' : 'never';
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
  const set = setting({ problem: problem === undefined ? undefined : { at: now(), message: problem } });
  await table.update(issueTracking, tracking, { set, remove: ['leasedUntil'] }, own);
}

/** Removes what is left of a project that no longer exists, or whose organization was deactivated. */
async function forget({ table }: TrackerServices, key: ProjectKey): Promise<void> {
  const left = await table.queryAll(endedRuns, endedRunsSpan(key), { consistent: true });
  await table.writeMany([...left.map((row) => remove(endedRuns, row)), remove(issueTracking, key)]);
}
