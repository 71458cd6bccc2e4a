import { notFound, refuse } from '#shared/engine/errors.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import { readListedItems } from '#shared/engine/table/listed.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { ABSENT, PRESENT, put, remove, removeWhen } from '#shared/engine/table/writes.ts';
import { isInUse } from '#shared/find-project.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { type Badge, badges, badgesOfProject, getBadgesSpan } from '#shared/model/organizations/badge.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { parseName } from '#shared/organizations/name-inputs.ts';
import type { ProjectRequest } from '#shared/organizations/project-settings.ts';
import { reserveRoom } from '#shared/organizations/room-for-one.ts';
import { PROJECT_SETTINGS } from '#shared/organizations/setting-declarations.ts';
import { locateRun } from '#shared/results/runs/find-run.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import { tooManyBadges } from './errors.ts';
import { BADGE_LIMITS } from './limits.ts';
import { readBadgeState } from './update-badges.ts';

export async function createBadge(
  services: Services,
  {
    branch: enteredBranch,
    label: enteredLabel,
    ...request
  }: ProjectRequest & { readonly branch: string; readonly label: string },
): Promise<Badge> {
  const { organizationId, projectId } = request;
  const branch = PROJECT_SETTINGS.defaultBranchName.parse(enteredBranch, 'branch');
  const label = parseName('The label of a badge', enteredLabel, {
    characters: BADGE_LIMITS.labelCharacters,
    member: 'label',
  });
  const run = await locateRun(services, organizationId, { projectId, branch });
  const state = run && (await readBadgeState(services, run));
  return changeOrganization(services, { ...request, action: 'projects:write' }, async () => {
    const turn = await reserveRoom(services, {
      organizationId,
      projectId,
      what: 'badges',
      limit: BADGE_LIMITS.badgesPerProject,
      count: async () =>
        (await services.table.queryAll(badgesOfProject, getBadgesSpan(request), { consistent: true })).length,
      refusal: tooManyBadges,
    });
    const badge: Badge = {
      badgeId: services.randomId(BADGE_LIMITS.idCharacters),
      organizationId,
      projectId,
      branch,
      label,
      createdAt: services.now(),
      state,
    };
    return {
      result: badge,
      writes: [put(badges, badge, ABSENT), put(badgesOfProject, badge), turn],
      inProject: badge,
      record: { action: 'badge created', subject: projectId, label, detail: `branch ${branch}` },
    };
  });
}

export async function listBadges({ table }: WithTable, key: ProjectKey): Promise<Badge[]> {
  const all = await readListedItems(table, badgesOfProject, getBadgesSpan(key), badges);
  return all.toSorted((one, other) => one.createdAt - other.createdAt);
}

/** Reads a badge for anyone who knows its id. One of a deleted project gets the answer of an unknown one. */
export async function readBadge({ table }: WithTable, badgeId: string): Promise<Badge> {
  const badge = (await table.get(badges, { badgeId })) ?? refuse(notFound('Badge'));
  const lookups = [makeLookup(organizations, badge), makeLookup(projects, badge)] as const;
  const rows = await table.getTogether(lookups);
  const organization = rows.of(lookups[0]);
  if (!organization || organization.deactivatedAt !== undefined || !isInUse(rows.of(lookups[1])))
    throw notFound('Badge');
  return badge;
}

export function revokeBadge(
  services: CoreServices,
  { badgeId, ...request }: ProjectRequest & { readonly badgeId: string },
): Promise<void> {
  const { projectId } = request;
  return changeOrganization(services, { ...request, action: 'projects:write' }, async () => {
    const listedBadge = await services.table.get(badgesOfProject, { ...request, badgeId }, { consistent: true });
    const badge = listedBadge && (await services.table.get(badges, listedBadge, { consistent: true }));
    if (!badge) throw notFound('Badge');
    return {
      result: undefined,
      writes: [removeWhen(badges, badge, PRESENT), remove(badgesOfProject, badge)],
      record: { action: 'badge revoked', subject: projectId, label: badge.label, detail: `branch ${badge.branch}` },
    };
  });
}
