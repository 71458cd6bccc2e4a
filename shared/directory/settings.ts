/** §5 Which roles the groups of a company give. Admins set it for the directory and for company sign-in together. */
import { invalidRequest } from '#shared/engine/errors.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import { update } from '#shared/engine/table/writes.ts';
import { directoryEntries, getDirectorySpan } from '#shared/model/directory/directory-entry.ts';
import { directoryGroups, getDirectoryGroupsSpan } from '#shared/model/directory/directory-group.ts';
import { ROLES } from '#shared/model/organizations/membership.ts';
import { type GroupRole, type SignInSettings, signInSettings } from '#shared/model/organizations/sign-in-settings.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { DEFAULT_ROLE, findRoleOfGroups, normalizeGroupName } from '#shared/organizations/group-roles.ts';
import { parseName } from '#shared/organizations/name-inputs.ts';
import { authorizeRead, type OrganizationRequest } from '#shared/organizations/standing.ts';
import type { CoreServices } from '#shared/services.ts';
import { renewRoles } from './group-members.ts';
import { DIRECTORY_LIMITS } from './limits.ts';

export type GroupRoles = Required<Pick<SignInSettings, 'defaultRole' | 'groupRoles'>>;

export interface DirectoryOverview extends GroupRoles {
  readonly people: number;
  readonly activePeople: number;
  /** The names of the groups that the directory has sent. */
  readonly groupNames: readonly string[];
}

export async function readDirectory(services: CoreServices, request: OrganizationRequest): Promise<DirectoryOverview> {
  await authorizeRead(services, request, 'signIn:read');
  const { table } = services;
  const [settings, entries, groups] = await Promise.all([
    table.get(signInSettings, request, { consistent: true }),
    table.queryAll(directoryEntries, getDirectorySpan(request)),
    table.queryAll(directoryGroups, getDirectoryGroupsSpan(request)),
  ]);
  return {
    ...pickGroupRoles(settings),
    people: entries.length,
    activePeople: entries.filter(({ active }) => active).length,
    groupNames: groups.map(({ displayName }) => displayName).sort(),
  };
}

/** Fills in what the settings do not say. */
const pickGroupRoles = ({ defaultRole = DEFAULT_ROLE, groupRoles = [] }: Partial<SignInSettings> = {}): GroupRoles => ({
  defaultRole,
  groupRoles,
});

/** The condition of the next change compares this time, so two changes of one millisecond must not have the same. */
const computeUpdateTime = (now: number, settings: SignInSettings | undefined): number =>
  Math.max(now, (settings?.updatedAt ?? 0) + 1);

/**
 * Stores which groups give which roles, and then gives the members their new roles. A repetition stores nothing again,
 * and continues with the members whom an interrupted call did not reach.
 */
export async function changeGroupRoles(
  services: CoreServices,
  request: OrganizationRequest & GroupRoles,
): Promise<void> {
  const { organizationId, defaultRole } = request;
  const groupRoles = parseGroupRoles(request.groupRoles);
  await changeOrganization(services, { ...request, action: 'signIn:change' }, async () => {
    const settings = await services.table.get(signInSettings, { organizationId }, { consistent: true });
    const before = describeGroupRoles(pickGroupRoles(settings));
    const after = describeGroupRoles({ defaultRole, groupRoles });
    if (before === after) return { result: undefined };
    const updatedAt = computeUpdateTime(services.now(), settings);
    const set = Object.entries({ organizationId, defaultRole, groupRoles, updatedAt });
    const condition: Condition = settings ? { path: 'updatedAt', equals: settings.updatedAt } : { absent: 'pk' };
    return {
      result: undefined,
      writes: [update(signInSettings, { organizationId }, { set }, condition)],
      record: {
        action: 'sign-in settings changed',
        subject: organizationId,
        label: 'Roles of groups',
        detail: `${before} to ${after}`,
      },
    };
  });
  await renewChangedRoles(services, request);
}

/** A group that is listed with several roles gives the highest of them. */
function parseGroupRoles(groupRoles: readonly GroupRole[]): GroupRole[] {
  const byName = new Map<string, GroupRole>();
  // From the lowest role to the highest, so that a higher role of a group replaces a lower one.
  for (const role of ROLES.toReversed()) {
    for (const { group } of groupRoles.filter((row) => row.role === role)) {
      const characters = DIRECTORY_LIMITS.textCharacters;
      const name = parseName('The name of a group', group, { characters, member: role });
      byName.set(normalizeGroupName(name), { group: name, role });
    }
  }
  if (byName.size > DIRECTORY_LIMITS.groupRoles)
    throw invalidRequest(`At most ${DIRECTORY_LIMITS.groupRoles} groups can give a role`);
  return [...byName.values()];
}

const describeGroupRoles = ({ defaultRole, groupRoles }: GroupRoles): string =>
  [`default ${defaultRole}`, ...groupRoles.map(({ group, role }) => `${group}: ${role}`).sort()].join(', ');

async function renewChangedRoles(
  services: CoreServices,
  { organizationId, actor }: OrganizationRequest,
): Promise<void> {
  const { table } = services;
  const [settings, entries, groups] = await Promise.all([
    table.get(signInSettings, { organizationId }, { consistent: true }),
    table.queryAll(directoryEntries, getDirectorySpan({ organizationId }), { consistent: true }),
    table.queryAll(directoryGroups, getDirectoryGroupsSpan({ organizationId }), { consistent: true }),
  ]);
  const nameById = new Map(groups.map(({ groupId, displayName }) => [groupId, displayName]));
  const changedEntries = entries.filter((entry) => {
    const groupNames = entry.groups.flatMap((groupId) => nameById.get(groupId) ?? []);
    return findRoleOfGroups(settings, groupNames) !== entry.role;
  });
  await renewRoles(services, actor, changedEntries);
}
