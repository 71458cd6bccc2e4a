/**
 * §5 Lets a person in whom the provider of an organization has signed in. An identity opens the organization of its
 * provider only, and connects with nothing else: whoever runs the provider can state every address and every name.
 */
import { COMPANY_SIGN_IN } from '#shared/access/actor.ts';
import { refuse } from '#shared/engine/errors.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { check, mergeChecks } from '#shared/engine/table/writes.ts';
import { memberships } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { signInSettings } from '#shared/model/organizations/sign-in-settings.ts';
import { type CompanyIdentity, companyIdentities } from '#shared/model/sign-in/company-provider.ts';
import type { Session } from '#shared/model/sign-in/session.ts';
import { findRoleOfGroups } from '#shared/organizations/group-roles.ts';
import { changeRole } from '#shared/organizations/members.ts';
import { expectUnchangedMembership } from '#shared/organizations/membership-rows.ts';
import type { CoreServices } from '#shared/services.ts';
import { isChallengeUsed, markChallengeUsed } from '#shared/sign-in/challenges.ts';
import { makeSession, type NewSession, type SignInBrowser } from '#shared/sign-in/sessions.ts';
import { admitForTheFirstTime } from './admit-first-time.ts';
import { listGroups } from './claims.ts';
import { flowLost, noLongerMember, wrongPerson } from './errors.ts';
import type { ProvenIdentity } from './flow.ts';

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
    const checks = [
      check(companyIdentities, storedIdentity, { path: 'accountId', equals: accountId }),
      check(memberships, membership, expectUnchangedMembership(membership)),
    ];
    const writes = [markChallengeUsed(services, challenge), ...newSession.writes];
    const isStarted = await table.transact(mergeChecks(checks, writes));
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
