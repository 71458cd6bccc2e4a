/** §5 Connects, changes and disconnects the identity provider of an organization. */
import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { ApiError, invalidRequest, notFound, refuse } from '#shared/engine/errors.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { expectSameValues } from '#shared/engine/table/update.ts';
import { ABSENT, mergeChecks, PRESENT, put, removeWhen, update, type Write } from '#shared/engine/table/writes.ts';
import { formatSecretName, hasCredential, removeCredential } from '#shared/model/credential.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import { type CompanyProvider, companyProviders, isSharedIssuer } from '#shared/model/sign-in/company-provider.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { parseName } from '#shared/organizations/name-inputs.ts';
import { authorizeRead, type OrganizationRequest } from '#shared/organizations/standing.ts';
import type { Network } from '#shared/sending/exchange.ts';
import type { CoreServices } from '#shared/services.ts';
import { providerChanged, requireNeedsTest } from './errors.ts';
import { COMPANY_LIMITS } from './limits.ts';
import { openProvider } from './openid.ts';

export interface ProviderSettings
  extends Pick<CompanyProvider, 'name' | 'issuer' | 'clientId' | 'groupsClaim' | 'admitsNew'> {
  /** If it is missing, the stored secret is kept. */
  readonly clientSecret: string | undefined;
}

export type ProviderStore = CoreServices & Network & { readonly secrets: Pick<Secrets, 'put' | 'remove'> };

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

/**
 * Stores the provider after its configuration was read. Another issuer or client is another provider: sessions that the
 * earlier one started end at once, and it is not required until somebody has signed in with it.
 */
export async function saveProvider(
  services: ProviderStore,
  { settings, ...request }: OrganizationRequest & { readonly settings: ProviderSettings },
): Promise<CompanyProvider> {
  const { organizationId } = request;
  await authorizeRead(services, request, 'companySignIn:change');
  const storedProvider = await readProvider(services, request);
  const { clientSecret, ...providerSettings } = checkProviderSettings(settings);
  await openProvider({ ...providerSettings, clientSecret }, services);
  const isSame =
    storedProvider?.issuer === providerSettings.issuer && storedProvider.clientId === providerSettings.clientId;
  const keepsSecret = isSame && hasCredential(storedProvider) && clientSecret === undefined;
  if (!keepsSecret && clientSecret === undefined)
    throw invalidRequest(
      'Enter the client secret. A stored one is used only with the issuer and client it belongs to',
      ['clientSecret'],
    );
  const secretName = keepsSecret
    ? storedProvider.secretName
    : await storeSecret(services, organizationId, clientSecret ?? '');
  const now = services.now();
  const provider: CompanyProvider = {
    ...providerSettings,
    organizationId,
    secretName,
    providerId: isSame ? storedProvider.providerId : `cmp_${services.randomId(COMPANY_LIMITS.secretNameCharacters)}`,
    createdAt: isSame ? storedProvider.createdAt : now,
    updatedAt: Math.max(now, (storedProvider?.updatedAt ?? 0) + 1),
  };
  try {
    await changeOrganization(services, { ...request, action: 'companySignIn:change' }, ({ organization }) => ({
      result: undefined,
      writes: [
        put(companyProviders, provider, storedProvider ? expectSameValues(storedProvider, 'updatedAt') : ABSENT),
        ...(isSame ? [] : [setCompanySignIn(organization, { providerId: provider.providerId, required: false })]),
      ],
      record: {
        action: storedProvider ? 'company sign-in changed' : 'company sign-in connected',
        subject: provider.providerId,
        label: provider.name,
        detail: makeVisibleLine(`client ${provider.clientId} at ${provider.issuer}`),
      },
    }));
  } catch (error) {
    // After any other error, the transaction may have succeeded, so the secret may be in use.
    if (error instanceof ApiError && !keepsSecret) await removeCredential(services.secrets, provider);
    throw error;
  }
  if (storedProvider && storedProvider.secretName !== secretName)
    await removeCredential(services.secrets, storedProvider);
  return provider;
}

const setCompanySignIn = (organization: Organization, companySignIn: Organization['companySignIn']): Write =>
  update(
    organizations,
    organization,
    companySignIn ? { set: [['companySignIn', companySignIn]] } : { remove: ['companySignIn'] },
    PRESENT,
  );

async function storeSecret(
  { secrets, randomId }: Pick<ProviderStore, 'secrets' | 'randomId'>,
  organizationId: string,
  value: string,
): Promise<string> {
  const secret = { organizationId, secretId: randomId(COMPANY_LIMITS.secretNameCharacters) };
  await secrets.put(secret, value);
  return formatSecretName(secret);
}

/** Visible ASCII characters, as in headers and forms. */
const VISIBLE = /^[\u0021-\u007e]+$/;

function checkProviderSettings({ clientSecret, ...settings }: ProviderSettings): ProviderSettings {
  const { nameCharacters, clientIdCharacters, secretCharacters } = COMPANY_LIMITS;
  const name = parseName('The name of a company sign-in', settings.name, { characters: nameCharacters });
  if (!VISIBLE.test(settings.clientId) || settings.clientId.length > clientIdCharacters)
    throw invalidRequest('The client id is invalid. Copy it from the application at your provider', ['clientId']);
  if (clientSecret !== undefined && (!VISIBLE.test(clientSecret) || clientSecret.length > secretCharacters))
    throw invalidRequest('The client secret is invalid. Copy its value, and not its id, from your provider', [
      'clientSecret',
    ]);
  if (isSharedIssuer(settings.issuer))
    throw invalidRequest(
      'This issuer signs in people of every company. Enter the issuer of your own tenant, with its id instead of common, organizations or consumers',
      ['issuer'],
    );
  return { ...settings, name, clientSecret };
}

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
        writes: [
          update(
            organizations,
            organization,
            { set: [['companySignIn', { ...companySignIn, required: isRequired }]] },
            PRESENT,
          ),
        ],
        record: {
          action: 'company sign-in changed',
          subject: provider.providerId,
          label: provider.name,
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
        writes: mergeChecks(
          [],
          [
            removeWhen(companyProviders, provider, expectSameValues(provider, 'updatedAt')),
            setCompanySignIn(organization, undefined),
          ],
        ),
        record: {
          action: 'company sign-in disconnected',
          subject: provider.providerId,
          label: provider.name,
          detail: makeVisibleLine(`client ${provider.clientId} at ${provider.issuer}`),
        },
      };
    },
  );
  await removeCredential(services.secrets, removedProvider);
}
