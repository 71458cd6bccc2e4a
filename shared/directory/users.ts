/**
 * §5 People of a directory: their accounts and memberships. A person is a member exactly while the directory says that
 * they are active.
 */
import type { DirectoryActor } from '#shared/access/actor.ts';
import { type DirectoryEntry, directoryEntries } from '#shared/model/directory/directory-entry.ts';
import { directoryNames, getDirectoryNamesSpan } from '#shared/model/directory/directory-name.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import { type Membership, memberships } from '#shared/model/organizations/membership.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { finishDeprovisioning } from '#shared/organizations/members.ts';
import type { CoreServices } from '#shared/services.ts';
import { endSessions } from '#shared/sign-in/sessions.ts';
import { findHolder, readHolder } from './account-holder.ts';
import { planEntryRemoval, toAccountKey, toNameKey } from './entry-rows.ts';
import { notUnique, tooMany, unknownResource, versionMismatch } from './errors.ts';
import { DIRECTORY_LIMITS } from './limits.ts';
import { readRoleOfGroups } from './roles.ts';
import { pickAttributes, type UserAttributes } from './user-attributes.ts';
import { planUser } from './user-plan.ts';

/** An entry with the membership of its account. */
export interface User {
  readonly entry: DirectoryEntry;
  readonly membership: Membership | undefined;
}

/** Changes with each change of the user, also if an Admin removes the member. */
export const formatUserVersion = ({ entry, membership }: User): string =>
  `W/"${entry.version}${membership ? '' : '-out'}"`;

export interface DirectoryRequest {
  readonly actor: DirectoryActor;
  /** The header `If-Match`. */
  readonly ifMatch?: string | undefined;
}

export async function readUsers(
  { table }: CoreServices,
  { organizationId }: DirectoryActor,
  entryIds: readonly string[],
): Promise<User[]> {
  const keys = entryIds.map((entryId) => ({ organizationId, entryId }));
  const entries = (await table.getMany(directoryEntries, keys, { consistent: true })).flatMap((entry) => entry ?? []);
  const members = await table.getMany(memberships, entries, { consistent: true });
  return entries.map((entry, index) => ({ entry, membership: members[index] }));
}

export async function readUser(services: CoreServices, actor: DirectoryActor, entryId: string): Promise<User> {
  const [user] = await readUsers(services, actor, [entryId]);
  if (user) return user;
  throw unknownResource('User', entryId);
}

/** Throws 412 unless the header names the present version. */
export function requireVersion(ifMatch: string | undefined, version: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const isListed = ifMatch.split(',').some((tag) => toOpaque(tag) === toOpaque(version));
  if (!isListed) throw versionMismatch();
}

/** Clients send a weak version back as it was, or without its mark. */
const toOpaque = (tag: string): string => tag.trim().replace(/^W\//, '');

export async function createUser(
  services: CoreServices,
  { actor }: DirectoryRequest,
  attributes: UserAttributes,
): Promise<User> {
  const { organizationId } = actor;
  const entryId = services.randomId(DIRECTORY_LIMITS.entryIdCharacters);
  await requireRoom(services, actor);
  const user = await changeOrganization(
    services,
    { organizationId, actor, action: 'members:provision' },
    async ({ organization }) => {
      await requireUnique(services, organizationId, attributes);
      const { role, checks } = await readRoleOfGroups(services, organizationId, []);
      const holder = await findHolder(services, organizationId, attributes);
      const { accountId } = holder.account;
      const linkedEntry = await services.table.get(directoryNames, toAccountKey({ organizationId, accountId }), {
        consistent: true,
      });
      if (linkedEntry) throw notUnique('email address');
      const now = services.now();
      const entry: DirectoryEntry = {
        ...attributes,
        organizationId,
        entryId,
        accountId,
        groups: [],
        role,
        createdAt: now,
        updatedAt: now,
        version: 1,
      };
      return planUser(services, { organization, before: undefined, entry, holder, checks });
    },
  );
  if (!attributes.active) await endAccess(services, actor, user.entry);
  return user;
}

/** Counts without a transaction, so concurrent requests may pass the limit by a few. */
async function requireRoom({ table }: CoreServices, { organizationId }: DirectoryActor): Promise<void> {
  const names = await table.queryAll(directoryNames, getDirectoryNamesSpan({ organizationId, of: 'USER' }));
  if (names.length >= DIRECTORY_LIMITS.entries)
    throw tooMany(`A directory can have at most ${DIRECTORY_LIMITS.entries} users`);
}

async function requireUnique(
  { table }: CoreServices,
  organizationId: string,
  attributes: UserAttributes,
): Promise<void> {
  if (await table.get(directoryNames, toNameKey(organizationId, attributes), { consistent: true }))
    throw notUnique('userName');
}

/** Replaces the attributes of a user with the result of `apply`. */
export async function changeUser(
  services: CoreServices,
  { actor, ifMatch }: DirectoryRequest,
  entryId: string,
  apply: (attributes: UserAttributes) => UserAttributes,
): Promise<User> {
  const { organizationId } = actor;
  const user = await changeOrganization(
    services,
    { organizationId, actor, action: 'members:provision' },
    async ({ organization }) => {
      const before = await readUser(services, actor, entryId);
      requireVersion(ifMatch, formatUserVersion(before));
      const attributes = apply(pickAttributes(before.entry));
      const isNamesake = attributes.userName.toLowerCase() === before.entry.userName.toLowerCase();
      if (!isNamesake) await requireUnique(services, organizationId, attributes);
      const holder = await readHolder(services, before, attributes);
      const { role, checks } = await readRoleOfGroups(services, organizationId, before.entry.groups);
      const entry: DirectoryEntry = {
        ...pickRest(before.entry),
        ...attributes,
        accountId: holder.account.accountId,
        // The role of a member changes with the groups only.
        role: before.membership ? before.entry.role : role,
      };
      return planUser(services, { organization, before: before.entry, entry, holder, checks });
    },
  );
  if (!user.entry.active) await endAccess(services, actor, user.entry);
  return user;
}

const pickRest = ({ organizationId, entryId, groups, createdAt, updatedAt, version }: DirectoryEntry) => ({
  organizationId,
  entryId,
  groups,
  createdAt,
  updatedAt,
  version,
});

/**
 * Removes what is left after the end of a membership, without which tokens, applications and sessions are refused
 * already. A repetition continues where a call was interrupted.
 */
async function endAccess(services: CoreServices, actor: DirectoryActor, entry: DirectoryEntry): Promise<void> {
  await finishDeprovisioning(services, entry);
  const account = await services.table.get(accounts, entry, { consistent: true });
  // The sessions of an account that its person owns may belong to other organizations.
  if (account?.managedBy === entry.organizationId) await endSessions(services, account, () => true, actor);
}

/** The account stays, so that the person gets it again if the directory adds them again. */
export async function deleteUser(services: CoreServices, request: DirectoryRequest, entryId: string): Promise<void> {
  const { actor, ifMatch } = request;
  const { organizationId } = actor;
  requireVersion(ifMatch, formatUserVersion(await readUser(services, actor, entryId)));
  // If the request is interrupted here, the person is no member anymore, and a repetition finds the entry.
  await changeUser(services, { actor }, entryId, (attributes) => ({ ...attributes, active: false }));
  await changeOrganization(services, { organizationId, actor, action: 'members:provision' }, async () => {
    const entry = await services.table.get(directoryEntries, { organizationId, entryId }, { consistent: true });
    if (!entry) return { result: undefined };
    return {
      result: undefined,
      writes: planEntryRemoval(entry),
      record: [],
    };
  });
}
