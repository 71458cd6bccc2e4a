/**
 * §5 People of a directory: their accounts and memberships. A person is a member exactly while the directory says that
 * they are active.
 */
import { isDeepStrictEqual } from 'node:util';
import type { DirectoryActor } from '#shared/access/actor.ts';
import {
  ABSENT,
  type Check,
  mergeChecks,
  put,
  remove,
  removeWhen,
  update,
  type Write,
} from '#shared/engine/table/writes.ts';
import { type DirectoryEntry, directoryEntries } from '#shared/model/directory/directory-entry.ts';
import { directoryGroupMembers } from '#shared/model/directory/directory-group.ts';
import { directoryNames, getDirectoryNamesSpan } from '#shared/model/directory/directory-name.ts';
import { directoryValues, getDirectoryValuesSpan } from '#shared/model/directory/directory-value.ts';
import { type Account, accounts, accountsByEmail, companyAccounts } from '#shared/model/organizations/account.ts';
import { type Membership, memberships } from '#shared/model/organizations/membership.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { findCompanyAccount, makeCompanyAccount } from '#shared/organizations/create-account.ts';
import { finishDeprovisioning } from '#shared/organizations/members.ts';
import {
  adjustAdminCount,
  countAsAdmin,
  makeAccountCheck,
  planMembership,
  planMembershipRemoval,
} from '#shared/organizations/membership-rows.ts';
import type { CoreServices } from '#shared/services.ts';
import { endSessions } from '#shared/sign-in/sessions.ts';
import { notUnique, tooMany, unknownResource, versionMismatch } from './errors.ts';
import { DIRECTORY_LIMITS } from './limits.ts';
import { readRoleOfGroups } from './roles.ts';
import { findAddress, findPersonName, type UserAttributes } from './user-attributes.ts';

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

const toNameKey = (organizationId: string, { userName }: Pick<UserAttributes, 'userName'>) => ({
  organizationId,
  of: 'USER' as const,
  name: userName.toLowerCase(),
});

const toAccountKey = ({ organizationId, accountId }: Pick<DirectoryEntry, 'organizationId' | 'accountId'>) => ({
  organizationId,
  of: 'ACCOUNT' as const,
  name: accountId,
});

async function requireUnique(
  { table }: CoreServices,
  organizationId: string,
  attributes: UserAttributes,
): Promise<void> {
  if (await table.get(directoryNames, toNameKey(organizationId, attributes), { consistent: true }))
    throw notUnique('userName');
}

/** Whose account a person of the directory has. */
interface Holder {
  readonly account: Account;
  readonly membership: Membership | undefined;
  /** The writes that create the account. Empty if it exists. */
  readonly writes: readonly Write[];
}

/**
 * The account that the organization manages, if there is one. Otherwise the own account of a person who has joined the
 * organization before. Otherwise a new account, whether or not somebody elsewhere has one with this address.
 */
async function findHolder(services: CoreServices, organizationId: string, attributes: UserAttributes): Promise<Holder> {
  const { table } = services;
  const email = findAddress(attributes);
  const [managedAccount, pointer] = await Promise.all([
    findCompanyAccount(services, { organizationId, email }),
    table.get(accountsByEmail, { email }, { consistent: true }),
  ]);
  const ownAccount = pointer && (await table.get(accounts, pointer, { consistent: true }));
  const candidates = [managedAccount, ownAccount].flatMap((account) => account ?? []);
  const members = await table.getMany(
    memberships,
    candidates.map(({ accountId }) => ({ organizationId, accountId })),
    { consistent: true },
  );
  const index = members.findIndex((membership) => membership !== undefined);
  const member = candidates[index];
  if (member) return { account: member, membership: members[index], writes: [] };
  if (managedAccount) return { account: managedAccount, membership: undefined, writes: [] };
  const made = makeCompanyAccount(services, { organizationId, email, name: findPersonName(attributes) });
  return { ...made, membership: undefined };
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

function pickAttributes({ userName, externalId, displayName, name, emails, active }: DirectoryEntry): UserAttributes {
  return {
    userName,
    active,
    ...(externalId === undefined ? {} : { externalId }),
    ...(displayName === undefined ? {} : { displayName }),
    ...(name === undefined ? {} : { name }),
    ...(emails === undefined ? {} : { emails }),
  };
}

const pickRest = ({ organizationId, entryId, groups, createdAt, updatedAt, version }: DirectoryEntry) => ({
  organizationId,
  entryId,
  groups,
  createdAt,
  updatedAt,
  version,
});

/** The account may have been removed, for example when its person asked to be forgotten. */
async function readHolder(
  services: CoreServices,
  { entry, membership }: User,
  attributes: UserAttributes,
): Promise<Holder> {
  const account = await services.table.get(accounts, entry, { consistent: true });
  return account ? { account, membership, writes: [] } : findHolder(services, entry.organizationId, attributes);
}

interface UserPlan {
  readonly organization: Organization;
  readonly before: DirectoryEntry | undefined;
  /** As it shall be, with the version of `before`. */
  readonly entry: DirectoryEntry;
  readonly holder: Holder;
  /** Of the role that a new membership gets. */
  readonly checks: readonly Check[];
}

async function planUser(services: CoreServices, { organization, before, entry, holder, checks }: UserPlan) {
  const { account, membership } = holder;
  const membershipPlan = await planActivity(services, { organization, entry, holder });
  const accountPlan = await planAccount(services, entry, holder);
  const isChanged = before === undefined || !isDeepStrictEqual(pickChangeable(before), pickChangeable(entry));
  const changes = [...membershipPlan.writes, ...accountPlan.writes, ...holder.writes];
  if (!isChanged && changes.length === 0) return { result: { entry: before, membership } };
  const now = services.now();
  const stored = before ? { ...entry, version: before.version + 1, updatedAt: now } : entry;
  const accountChecks = holder.writes.length > 0 || !entry.active ? [] : [makeAccountCheck(account)];
  const roleChecks = membershipPlan.membership && membershipPlan.membership !== membership ? checks : [];
  return {
    result: { entry: stored, membership: membershipPlan.membership },
    writes: mergeChecks([...accountChecks, ...roleChecks], [...planEntry(before, stored), ...changes]),
    record: [...membershipPlan.record, ...accountPlan.record],
  };
}

/** What a request may change. */
const pickChangeable = (entry: DirectoryEntry) => ({
  ...pickAttributes(entry),
  accountId: entry.accountId,
  role: entry.role,
});

async function planActivity(
  services: CoreServices,
  { organization, entry, holder: { account, membership, writes } }: Pick<UserPlan, 'organization' | 'entry' | 'holder'>,
) {
  const { accountId } = account;
  if (entry.active && !membership) {
    const { role } = entry;
    const plan = await planMembership(services, { organization, account, role, isReturn: writes.length === 0 });
    return { ...plan, record: [{ action: 'member added' as const, subject: accountId, detail: role }] };
  }
  if (!entry.active && membership) {
    const { role } = membership;
    return {
      membership: undefined,
      writes: [...planMembershipRemoval(membership), ...adjustAdminCount(organization, -countAsAdmin(role))],
      record: [{ action: 'member deprovisioned' as const, subject: accountId, detail: role }],
    };
  }
  return { membership, writes: [], record: [] };
}

/** The directory names the accounts that the organization manages. It never changes one that a person owns. */
async function planAccount({ table }: CoreServices, entry: DirectoryEntry, { account, writes }: Holder) {
  const { organizationId } = entry;
  const nothing = { writes: [] as Write[], record: [] };
  if (account.managedBy !== organizationId || writes.length > 0) return nothing;
  const email = findAddress(entry);
  const name = findPersonName(entry);
  if (email === account.email && name === account.name) return nothing;
  const isMoved = email !== account.email;
  if (isMoved && (await table.get(companyAccounts, { organizationId, email }, { consistent: true })))
    throw notUnique('email address');
  const { accountId } = account;
  const set = [
    ['email', email],
    ['name', name],
  ] as const;
  const moves = isMoved
    ? [
        put(companyAccounts, { organizationId, email, accountId }, ABSENT),
        remove(companyAccounts, { organizationId, email: account.email }),
      ]
    : [];
  const what = [...(isMoved ? ['address'] : []), ...(name === account.name ? [] : ['name'])].join(' and ');
  return {
    writes: [update(accounts, account, { set }, { path: 'email', equals: account.email }), ...moves],
    record: [{ action: 'member changed' as const, subject: accountId, detail: what }],
  };
}

/** The entry with the rows by which it is found. They fail if the entry has changed, or a name is taken. */
function planEntry(before: DirectoryEntry | undefined, entry: DirectoryEntry): Write[] {
  return [
    put(directoryEntries, entry, before ? { path: 'version', equals: before.version } : ABSENT),
    ...planDifference(before ? listNames(before) : [], listNames(entry), {
      add: (name) => put(directoryNames, { ...name, id: entry.entryId }, ABSENT),
      take: (name) => remove(directoryNames, name),
    }),
    ...planDifference(before ? listValues(before) : [], listValues(entry), {
      add: (value) => put(directoryValues, value),
      take: (value) => remove(directoryValues, value),
    }),
  ];
}

/** Fails if the entry has changed since the read. */
export const planEntryRemoval = (entry: DirectoryEntry): Write[] => [
  removeWhen(directoryEntries, entry, { path: 'version', equals: entry.version }),
  ...listNames(entry).map((name) => remove(directoryNames, name)),
  ...listValues(entry).map((value) => remove(directoryValues, value)),
  ...entry.groups.map((groupId) => remove(directoryGroupMembers, { ...entry, groupId })),
];

/** The entries whose user name or one of whose addresses is the address, in lower case. */
export async function readEntriesWithAddress(
  { table }: Pick<CoreServices, 'table'>,
  { organizationId, address }: { readonly organizationId: string; readonly address: string },
): Promise<DirectoryEntry[]> {
  const [name, values] = await Promise.all([
    table.get(directoryNames, toNameKey(organizationId, { userName: address }), { consistent: true }),
    table.queryAll(directoryValues, getDirectoryValuesSpan({ organizationId, of: 'EMAIL', value: address }), {
      consistent: true,
    }),
  ]);
  const ids = new Set([...(name ? [name.id] : []), ...values.map(({ entryId }) => entryId)]);
  const keys = [...ids].map((entryId) => ({ organizationId, entryId }));
  const entries = await table.getMany(directoryEntries, keys, { consistent: true });
  return entries.filter((entry) => entry !== undefined);
}

const listNames = (entry: DirectoryEntry) => [toNameKey(entry.organizationId, entry), toAccountKey(entry)];

function listValues({ organizationId, entryId, externalId, emails = [] }: DirectoryEntry) {
  const addresses = new Set(emails.map(({ value }) => value.toLowerCase()));
  return [
    ...(externalId === undefined ? [] : [{ organizationId, entryId, of: 'EXTERNAL' as const, value: externalId }]),
    ...[...addresses].map((value) => ({ organizationId, entryId, of: 'EMAIL' as const, value })),
  ];
}

function planDifference<Row>(
  before: readonly Row[],
  after: readonly Row[],
  { add, take }: { readonly add: (row: Row) => Write; readonly take: (row: Row) => Write },
): Write[] {
  const missingIn = (rows: readonly Row[], row: Row) =>
    !rows.some((one) => JSON.stringify(one) === JSON.stringify(row));
  return [
    ...after.filter((row) => missingIn(before, row)).map(add),
    ...before.filter((row) => missingIn(after, row)).map(take),
  ];
}

/** Idempotent. Without a membership, tokens, applications and sessions are refused already. */
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
