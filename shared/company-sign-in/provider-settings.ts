/** §5 The identity provider of an organization: whether it is required, and how it is disconnected. */

import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { type Changes, expectSameValues } from '#shared/engine/table/update.ts';
import { PRESENT, removeWhen, update, type Write } from '#shared/engine/table/writes.ts';
import { removeCredential } from '#shared/model/credential.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import { type CompanyProvider, companyProviders } from '#shared/model/sign-in/company-provider.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { authorizeRead, type OrganizationRequest } from '#shared/organizations/standing.ts';
import type { CoreServices } from '#shared/services.ts';
import { providerChanged, requireNeedsTest } from './errors.ts';

export async function readProvider(
  { table }: Pick<CoreServices, 'table'>,
  { organizationId }: { readonly organizationId: string },
): Promise<CompanyProvider | undefined> {
  return table.get(companyProviders, { organizationId }, { consistent: true });
}

export interface CompanySettings {
  readonly provider: CompanyProvider | undefined;
  readonly isRequired: boolean;
}

export async function readCompanySettings(
  services: CoreServices,
  request: OrganizationRequest,
): Promise<CompanySettings> {
  const { organization } = await authorizeRead(services, request, 'companySignIn:change');
  const provider = await readProvider(services, request);
  return { provider, isRequired: organization.companySignIn?.required ?? false };
}

export function setCompanySignIn(organization: Organization, companySignIn: Organization['companySignIn']): Write {
  const changes: Changes = companySignIn ? { set: [['companySignIn', companySignIn]] } : { remove: ['companySignIn'] };
  return update(organizations, organization, changes, PRESENT);
}

/** The object of an audit record. */
export const describeProvider = ({ providerId, name }: CompanyProvider) => ({ subject: providerId, label: name });

/** The detail of an audit record. */
export const formatClient = ({ clientId, issuer }: CompanyProvider): string =>
  makeVisibleLine(`client ${clientId} at ${issuer}`);

/** An Admin may require company sign-in only in a session that it started, so that nobody is locked out. */
export function changeRequirement(
  services: CoreServices,
  { isRequired, ...request }: OrganizationRequest & { readonly isRequired: boolean },
): Promise<void> {
  return changeOrganization(
    services,
    { ...request, action: 'companySignIn:change' },
    async ({ organization, actor }) => {
      const provider = (await readProvider(services, request)) ?? refuse(notFound('Company sign-in'));
      const { companySignIn } = organization;
      if (companySignIn?.providerId !== provider.providerId) throw providerChanged();
      if (companySignIn.required === isRequired) return { result: undefined };
      if (isRequired && actor.kind === 'person' && !actor.signIn?.company) throw requireNeedsTest();
      return {
        result: undefined,
        writes: [setCompanySignIn(organization, { ...companySignIn, required: isRequired })],
        record: {
          action: 'company sign-in changed',
          ...describeProvider(provider),
          detail: isRequired ? 'required for everybody' : 'no longer required',
        },
      };
    },
  );
}

/** Sessions that the provider started end at once. Accounts, memberships and identities stay. */
export async function disconnectProvider(
  services: CoreServices & { readonly secrets: Pick<Secrets, 'remove'> },
  request: OrganizationRequest,
): Promise<void> {
  const removedProvider = await changeOrganization(
    services,
    { ...request, action: 'companySignIn:change' },
    async ({ organization }) => {
      const provider = (await readProvider(services, request)) ?? refuse(notFound('Company sign-in'));
      return {
        result: provider,
        writes: [
          removeWhen(companyProviders, provider, expectSameValues(provider, 'updatedAt')),
          setCompanySignIn(organization, undefined),
        ],
        record: {
          action: 'company sign-in disconnected',
          ...describeProvider(provider),
          detail: formatClient(provider),
        },
      };
    },
  );
  await removeCredential(services.secrets, removedProvider);
}
