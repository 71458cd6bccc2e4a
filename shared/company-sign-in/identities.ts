/** §5 The identities at a provider that open an organization: listed, ended, and let in again. */
import { notFound } from '#shared/engine/errors.ts';
import { mergeChecks, PRESENT, removeWhen } from '#shared/engine/table/writes.ts';
import { type Account, accounts } from '#shared/model/organizations/account.ts';
import { type Membership, memberships } from '#shared/model/organizations/membership.ts';
import { type CompanyIdentity, companyIdentities, getIdentitiesSpan } from '#shared/model/sign-in/company-provider.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { makeAccountCheck, planMembership } from '#shared/organizations/membership-rows.ts';
import { authorizeRead, type OrganizationRequest } from '#shared/organizations/standing.ts';
import type { CoreServices } from '#shared/services.ts';

const listIdentities = (
  { table }: CoreServices,
  organization: Pick<CompanyIdentity, 'organizationId'>,
): Promise<CompanyIdentity[]> =>
  table.queryAll(companyIdentities, getIdentitiesSpan(organization), { consistent: true });

/** The people who signed in with the company before an Admin removed them. They cannot come back by themselves. */
export async function listRemovedPeople(services: CoreServices, request: OrganizationRequest): Promise<Account[]> {
  await authorizeRead(services, request, 'companySignIn:change');
  const { organizationId } = request;
  const identities = await listIdentities(services, request);
  const keys = [...new Set(identities.map(({ accountId }) => accountId))].map((accountId) => ({
    organizationId,
    accountId,
  }));
  const [people, members] = await Promise.all([
    services.table.getMany(accounts, keys, { consistent: true }),
    services.table.getMany(memberships, keys, { consistent: true }),
  ]);
  return people.flatMap((account, index) => (account && !members[index] ? [account] : []));
}

interface PersonRequest extends OrganizationRequest {
  readonly accountId: string;
}

/** Makes somebody a member again whom the organization manages and an Admin had removed. */
export function readmit(services: CoreServices, request: PersonRequest): Promise<Membership> {
  const { accountId } = request;
  const { table } = services;
  return changeOrganization(services, { ...request, action: 'companySignIn:change' }, async ({ organization }) => {
    const identities = await listIdentities(services, request);
    const account = await table.get(accounts, { accountId }, { consistent: true });
    const isOurs = identities.some((one) => one.accountId === accountId);
    if (!account || !isOurs) throw notFound('Person');
    const plan = await planMembership(services, { organization, account, role: 'member' });
    return {
      result: plan.membership,
      writes: mergeChecks([makeAccountCheck(account)], plan.writes),
      record: { action: 'member added', subject: accountId, detail: 'member, let in again' },
    };
  });
}

/**
 * Ends the identities of a member, whose sessions of company sign-in end at once. Somebody whose identity at the provider
 * has changed then connects the new one at their next sign-in.
 */
export function endIdentities(services: CoreServices, request: PersonRequest): Promise<void> {
  const { accountId } = request;
  return changeOrganization(services, { ...request, action: 'companySignIn:endIdentity' }, async () => {
    const all = await listIdentities(services, request);
    const ownIdentities = all.filter((one) => one.accountId === accountId);
    if (ownIdentities.length === 0) throw notFound('Identity');
    return {
      result: undefined,
      writes: ownIdentities.map((identity) => removeWhen(companyIdentities, identity, PRESENT)),
      record: { action: 'identity ended', subject: accountId, detail: 'of company sign-in' },
    };
  });
}

/** The ids of those of the `organizations` in which the account has an identity. */
export async function listConnectedOrganizations(
  services: CoreServices,
  {
    accountId,
    organizations,
  }: Pick<CompanyIdentity, 'accountId'> & {
    readonly organizations: readonly Pick<CompanyIdentity, 'organizationId'>[];
  },
): Promise<Set<string>> {
  const lists = await Promise.all(organizations.map((organization) => listIdentities(services, organization)));
  const ownIdentities = lists.flat().filter((identity) => identity.accountId === accountId);
  return new Set(ownIdentities.map(({ organizationId }) => organizationId));
}
