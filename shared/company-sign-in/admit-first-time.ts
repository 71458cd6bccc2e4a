/** §5 Admits a person whose identity at the provider nobody has connected yet. */

import { COMPANY_SIGN_IN } from '#shared/access/actor.ts';
import { readEntriesWithAddress } from '#shared/directory/entry-rows.ts';
import { refuse } from '#shared/engine/errors.ts';
import { ABSENT, type Check, check, mergeChecks } from '#shared/engine/table/writes.ts';
import { type Account, accountsByEmail } from '#shared/model/organizations/account.ts';
import { memberships } from '#shared/model/organizations/membership.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import { signInSettings } from '#shared/model/organizations/sign-in-settings.ts';
import { companyIdentities, getIdentitiesSpan } from '#shared/model/sign-in/company-provider.ts';
import { type AuditEntry, type ChangePlan, changeOrganization } from '#shared/organizations/change.ts';
import { findCompanyAccount, findEmailAddress, makeCompanyAccount } from '#shared/organizations/create-account.ts';
import { findRoleOfGroups } from '#shared/organizations/group-roles.ts';
import { expectUnchangedMembership, planMembership } from '#shared/organizations/membership-rows.ts';
import type { CoreServices } from '#shared/services.ts';
import { findAddress, findName, isAddressVerified, listGroups } from './claims.ts';
import { planIdentity } from './connect-identity.ts';
import {
  addressNotVerified,
  addressOfMember,
  identityOfAnother,
  noAddress,
  noLongerMember,
  notAdmitted,
} from './errors.ts';
import type { ProvenIdentity } from './flow.ts';

/**
 * A new identity gets an account that the organization manages. The directory may have made that account before; then
 * the provider must vouch for the address, because within a company one person must not become another either.
 */
export function admitForTheFirstTime(services: CoreServices, proof: ProvenIdentity): Promise<void> {
  const { organizationId } = proof.provider;
  const email = findAddress(proof.claims) ?? refuse(noAddress());
  const request = { organizationId, actor: COMPANY_SIGN_IN, action: 'companySignIn:admit' } as const;
  return changeOrganization(services, request, async ({ organization }) => {
    const key = { organizationId, identity: proof.identity };
    if (await services.table.get(companyIdentities, key, { consistent: true })) return { result: undefined };
    const existingAccount = await findCompanyAccount(services, { organizationId, email });
    return existingAccount
      ? planKnownPerson(services, proof, existingAccount)
      : planNewMember(services, proof, { organization, email });
  });
}

type Admission = ChangePlan<undefined, AuditEntry<'identity connected' | 'member joined'>>;

/** Connects the identity with the account that the directory has made. */
async function planKnownPerson(services: CoreServices, proof: ProvenIdentity, account: Account): Promise<Admission> {
  const { table } = services;
  const { organizationId, name } = proof.provider;
  const { accountId } = account;
  const span = getIdentitiesSpan({ organizationId });
  const identities = await table.queryAll(companyIdentities, span, { consistent: true });
  if (identities.some((identity) => identity.accountId === accountId)) throw identityOfAnother();
  if (!(await isPersonOfDirectory(services, proof, account))) throw addressNotVerified();
  const membership =
    (await table.get(memberships, { organizationId, accountId }, { consistent: true })) ?? refuse(noLongerMember());
  return {
    result: undefined,
    writes: [
      check(memberships, membership, expectUnchangedMembership(membership)),
      planIdentity(services, { ...proof, accountId }),
    ],
    record: { action: 'identity connected', subject: accountId, detail: `at ${name}` },
  };
}

async function planNewMember(
  services: CoreServices,
  proof: ProvenIdentity,
  { organization, email }: { readonly organization: Organization; readonly email: string },
): Promise<Admission> {
  const { provider, claims } = proof;
  const { organizationId } = provider;
  const entries = await readEntriesWithAddress(services, { organizationId, address: email });
  if (entries.some(({ active }) => !active)) throw noLongerMember();
  const isNoMember = await requireNoOwnAccount(services, { organizationId, email });
  if (!provider.admitsNew) throw notAdmitted();
  const newMember = makeCompanyAccount(services, { organizationId, email, name: findName(claims['name'], email) });
  const role = await readRole(services, proof);
  const plan = await planMembership(services, { organization, account: newMember.account, role });
  const { accountId } = newMember.account;
  const writes = [...newMember.writes, ...plan.writes, planIdentity(services, { ...proof, accountId })];
  return {
    result: undefined,
    writes: mergeChecks([isNoMember], writes),
    record: { action: 'member joined', subject: accountId, detail: `${role}, by ${provider.name}` },
  };
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
