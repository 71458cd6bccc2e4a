/**
 * §5 Lets a person in whom the provider of an organization has signed in. An identity opens the organization of its
 * provider only, and connects with nothing else: whoever runs the provider can state every address and every name.
 */
import { COMPANY_SIGN_IN, type Person } from '#shared/access/actor.ts';
import { readEntriesWithAddress } from '#shared/directory/entry-rows.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { ABSENT, type Check, check, mergeChecks, put } from '#shared/engine/table/writes.ts';
import { type Account, accountsByEmail } from '#shared/model/organizations/account.ts';
import { memberships } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { signInSettings } from '#shared/model/organizations/sign-in-settings.ts';
import { type CompanyIdentity, companyIdentities, getIdentitiesSpan } from '#shared/model/sign-in/company-provider.ts';
import type { Session } from '#shared/model/sign-in/session.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { findCompanyAccount, findEmailAddress, makeCompanyAccount } from '#shared/organizations/create-account.ts';
import { findRoleOfGroups } from '#shared/organizations/group-roles.ts';
import { changeRole } from '#shared/organizations/members.ts';
import { expectUnchangedMembership, planMembership } from '#shared/organizations/membership-rows.ts';
import type { CoreServices } from '#shared/services.ts';
import { isChallengeUsed, markChallengeUsed } from '#shared/sign-in/challenges.ts';
import { makeSession, type NewSession, type SignInBrowser } from '#shared/sign-in/sessions.ts';
import {
  addressNotVerified,
  addressOfMember,
  flowLost,
  identityOfAnother,
  identityTaken,
  noAddress,
  noLongerMember,
  notAdmitted,
  wrongPerson,
} from './errors.ts';
import type { ProvenIdentity } from './flow.ts';
import { COMPANY_LIMITS } from './limits.ts';
import { isAddressVerified } from './openid.ts';

/** Signs the person in. Whoever comes for the first time becomes a member, if the provider may admit people. */
export async function admit(
  services: CoreServices,
  { browser, ...proof }: ProvenIdentity & { readonly browser: SignInBrowser },
): Promise<NewSession> {
  const { organizationId } = proof.provider;
  const key = { organizationId, identity: proof.identity };
  const knownIdentity = await services.table.get(companyIdentities, key, { consistent: true });
  if (!knownIdentity) await admitForTheFirstTime(services, proof);
  else await followGroups(services, proof, knownIdentity);
  return startSession(services, proof, browser);
}

/** Only one of several requests with the same answer of the provider gets a session. */
async function startSession(
  services: CoreServices,
  { provider, identity, challenge }: ProvenIdentity,
  browser: SignInBrowser,
): Promise<NewSession> {
  const { organizationId, providerId } = provider;
  const { table } = services;
  return retryOptimistically('company sign-in', async () => {
    const key = { organizationId, identity };
    const storedIdentity = (await table.get(companyIdentities, key, { consistent: true })) ?? refuse(noLongerMember());
    const { accountId } = storedIdentity;
    const membership =
      (await table.get(memberships, { organizationId, accountId }, { consistent: true })) ?? refuse(noLongerMember());
    const company = { organizationId, providerId, identity };
    const newSession = makeSession(services, { ...browser, accountId, method: 'company', company });
    const isStarted = await table.transact(
      mergeChecks(
        [
          check(companyIdentities, storedIdentity, { path: 'accountId', equals: accountId }),
          check(memberships, membership, expectUnchangedMembership(membership)),
        ],
        [markChallengeUsed(services, challenge), ...newSession.writes],
      ),
    );
    if (isStarted) return newSession;
    if (await isChallengeUsed(services, challenge)) throw flowLost();
    return AGAIN;
  });
}

/** Confirms who is in a session that the provider started. */
export async function confirmByCompany(
  services: CoreServices,
  { session, browser, ...proof }: ProvenIdentity & { readonly session: Session; readonly browser: SignInBrowser },
): Promise<NewSession> {
  if (session.company?.identity !== proof.identity) throw wrongPerson();
  return startSession(services, proof, browser);
}

/** Connects an account that the person owns with their identity at the provider. */
export function connectIdentity(
  services: CoreServices,
  { provider, identity, claims, challenge, actor }: ProvenIdentity & { readonly actor: Person },
): Promise<void> {
  const { organizationId } = provider;
  const request = { organizationId, actor, action: 'companySignIn:connect' } as const;
  return changeOrganization(services, request, async ({ membership }) => {
    const { accountId } = membership ?? refuse(notFound('Membership'));
    const knownIdentity = await services.table.get(
      companyIdentities,
      { organizationId, identity },
      { consistent: true },
    );
    if (knownIdentity && knownIdentity.accountId !== accountId) throw identityTaken();
    const writes = knownIdentity
      ? []
      : [put(companyIdentities, makeIdentity(services, { provider, identity, claims, accountId }), ABSENT)];
    return {
      result: undefined,
      writes: [...writes, markChallengeUsed(services, challenge)],
      record: { action: 'identity connected', subject: accountId, detail: `at ${provider.name}` },
    };
  });
}

const makeIdentity = (
  { now }: Pick<CoreServices, 'now'>,
  {
    provider,
    identity,
    claims,
    accountId,
  }: Pick<ProvenIdentity, 'provider' | 'identity' | 'claims'> & Pick<CompanyIdentity, 'accountId'>,
): CompanyIdentity => ({
  organizationId: provider.organizationId,
  identity,
  accountId,
  email: findAddress(claims) ?? '',
  createdAt: now(),
});

/**
 * A new identity gets an account that the organization manages. The directory may have made that account before; then
 * the provider must vouch for the address, because within a company one person must not become another either.
 */
function admitForTheFirstTime(services: CoreServices, proof: ProvenIdentity): Promise<void> {
  const { provider, identity, claims } = proof;
  const { organizationId } = provider;
  const { table } = services;
  const email = findAddress(claims) ?? refuse(noAddress());
  const request = { organizationId, actor: COMPANY_SIGN_IN, action: 'companySignIn:admit' } as const;
  return changeOrganization(services, request, async ({ organization }) => {
    const key = { organizationId, identity };
    if (await table.get(companyIdentities, key, { consistent: true })) return { result: undefined };
    const existingAccount = await findCompanyAccount(services, { organizationId, email });
    if (existingAccount) {
      const { accountId } = existingAccount;
      const all = await table.queryAll(companyIdentities, getIdentitiesSpan({ organizationId }), { consistent: true });
      if (all.some((one) => one.accountId === accountId)) throw identityOfAnother();
      if (!(await isPersonOfDirectory(services, proof, existingAccount))) throw addressNotVerified();
      const membership =
        (await table.get(memberships, { organizationId, accountId }, { consistent: true })) ?? refuse(noLongerMember());
      return {
        result: undefined,
        writes: [
          check(memberships, membership, expectUnchangedMembership(membership)),
          put(companyIdentities, makeIdentity(services, { ...proof, accountId }), ABSENT),
        ],
        record: { action: 'identity connected', subject: accountId, detail: `at ${provider.name}` },
      };
    }
    const entries = await readEntriesWithAddress(services, { organizationId, address: email });
    if (entries.some(({ active }) => !active)) throw noLongerMember();
    const isNoMember = await requireNoOwnAccount(services, { organizationId, email });
    if (!provider.admitsNew) throw notAdmitted();
    const newMember = makeCompanyAccount(services, { organizationId, email, name: findName(claims, email) });
    const role = await readRole(services, proof);
    const plan = await planMembership(services, { organization, account: newMember.account, role });
    const { accountId } = newMember.account;
    return {
      result: undefined,
      writes: mergeChecks(
        [isNoMember],
        [
          ...newMember.writes,
          ...plan.writes,
          put(companyIdentities, makeIdentity(services, { ...proof, accountId }), ABSENT),
        ],
      ),
      record: { action: 'member joined', subject: accountId, detail: `${role}, by ${provider.name}` },
    };
  });
}

/**
 * Whether the provider vouches for the address of the account, or the directory has named the person by their id there:
 * Okta sends the id of its tokens (`sub`), and Microsoft Entra can send the object id (`oid`). A verified `email` says
 * nothing about a `preferred_username`, which people choose at some providers.
 */
async function isPersonOfDirectory(
  services: CoreServices,
  { provider, claims }: ProvenIdentity,
  { accountId, email }: Account,
): Promise<boolean> {
  const { organizationId, issuer } = provider;
  const statedAddress = typeof claims['email'] === 'string' ? findEmailAddress(claims['email']) : undefined;
  if (statedAddress === email && isAddressVerified(issuer, claims)) return true;
  const entries = await readEntriesWithAddress(services, { organizationId, address: email });
  const ids = [claims.sub, claims['oid']].filter((id) => id !== undefined && id !== '');
  return entries.some((entry) => entry.active && entry.accountId === accountId && ids.includes(entry.externalId));
}

/** A member with an account of their own connects it themselves, signed in to it. */
async function requireNoOwnAccount(
  { table }: CoreServices,
  { organizationId, email }: { readonly organizationId: string; readonly email: string },
): Promise<Check> {
  const pointer = await table.get(accountsByEmail, { email }, { consistent: true });
  if (!pointer) return check(accountsByEmail, { email }, ABSENT);
  const key = { organizationId, accountId: pointer.accountId };
  if (await table.get(memberships, key, { consistent: true })) throw addressOfMember();
  return check(memberships, key, ABSENT);
}

async function readRole(services: CoreServices, { provider, claims }: ProvenIdentity) {
  const settings = await services.table.get(signInSettings, provider, { consistent: true });
  return findRoleOfGroups(settings, listGroups(provider.groupsClaim, claims));
}

/** If the provider states groups that have roles, they decide at each sign-in. The last Admin stays Admin. */
async function followGroups(
  services: CoreServices,
  proof: ProvenIdentity,
  { accountId }: CompanyIdentity,
): Promise<void> {
  const { provider, claims } = proof;
  const { organizationId, groupsClaim } = provider;
  const { table } = services;
  if (groupsClaim === undefined || !Array.isArray(claims[groupsClaim])) return;
  const settingsLookup = makeLookup(signInSettings, { organizationId });
  const membershipLookup = makeLookup(memberships, { organizationId, accountId });
  const organizationLookup = makeLookup(organizations, { organizationId });
  const rows = await table.getTogether([settingsLookup, membershipLookup, organizationLookup], { consistent: true });
  const settings = rows.of(settingsLookup);
  const membership = rows.of(membershipLookup);
  if (!membership || (settings?.groupRoles ?? []).length === 0) return;
  const role = findRoleOfGroups(settings, listGroups(groupsClaim, claims));
  const isLastAdmin = membership.role === 'admin' && (rows.of(organizationLookup)?.admins ?? 0) < 2;
  if (role === membership.role || isLastAdmin) return;
  await changeRole(services, { organizationId, accountId, role, actor: COMPANY_SIGN_IN });
}

const listGroups = (claim: string | undefined, claims: Readonly<Record<string, unknown>>): string[] => {
  const value = claim === undefined ? [] : claims[claim];
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all
    .filter((group): group is string => typeof group === 'string' && group.length <= COMPANY_LIMITS.groupCharacters)
    .slice(0, COMPANY_LIMITS.groups);
};

/** The address of the person, or `undefined` if the provider states none that could be one. */
function findAddress(claims: Readonly<Record<string, unknown>>): string | undefined {
  for (const value of [claims['email'], claims['preferred_username']]) {
    const address = typeof value === 'string' ? findEmailAddress(value) : undefined;
    if (address !== undefined) return address;
  }
  return undefined;
}

/** Without a name that can be shown, the part of the address before the `@`. */
function findName({ name }: Readonly<Record<string, unknown>>, email: string): string {
  const visibleName = typeof name === 'string' ? makeVisibleLine(name).trim() : '';
  return takeFirstCharacters(visibleName || email.slice(0, email.lastIndexOf('@')), COMPANY_LIMITS.nameCharacters);
}
