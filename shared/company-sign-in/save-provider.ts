/** §5 Connects the identity provider of an organization, or changes its settings. */

import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { ApiError, invalidRequest, refuse } from '#shared/engine/errors.ts';
import { expectSameValues } from '#shared/engine/table/update.ts';
import { ABSENT, put, type Write } from '#shared/engine/table/writes.ts';
import { formatSecretName, hasCredential, removeCredential } from '#shared/model/credential.ts';
import { type CompanyProvider, companyProviders, isSharedIssuer } from '#shared/model/sign-in/company-provider.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { parseName } from '#shared/organizations/name-inputs.ts';
import { authorizeRead, type OrganizationRequest } from '#shared/organizations/standing.ts';
import type { Network } from '#shared/sending/exchange.ts';
import type { CoreServices } from '#shared/services.ts';
import { COMPANY_LIMITS } from './limits.ts';
import { openProvider } from './openid.ts';
import { describeProvider, formatClient, readProvider, setCompanySignIn } from './provider-settings.ts';

export interface ProviderSettings
  extends Pick<CompanyProvider, 'name' | 'issuer' | 'clientId' | 'groupsClaim' | 'admitsNew'> {
  /** If it is missing, the stored secret is kept. */
  readonly clientSecret: string | undefined;
}

type ProviderStore = CoreServices & Network & { readonly secrets: Pick<Secrets, 'put' | 'remove'> };

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
  const secretName = keepsSecret
    ? storedProvider.secretName
    : await storeSecret(services, organizationId, clientSecret ?? refuse(secretNeeded()));
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
    await changeOrganization(services, { ...request, action: 'companySignIn:change' }, ({ organization }) => {
      const isAsRead = storedProvider ? expectSameValues(storedProvider, 'updatedAt') : ABSENT;
      const writes: Write[] = [put(companyProviders, provider, isAsRead)];
      if (!isSame) writes.push(setCompanySignIn(organization, { providerId: provider.providerId, required: false }));
      const action = storedProvider ? 'company sign-in changed' : 'company sign-in connected';
      return {
        result: undefined,
        writes,
        record: { action, ...describeProvider(provider), detail: formatClient(provider) },
      };
    });
  } catch (error) {
    // After any other error, the transaction may have succeeded, so the secret may be in use.
    if (error instanceof ApiError && !keepsSecret) await removeCredential(services.secrets, provider);
    throw error;
  }
  if (storedProvider && storedProvider.secretName !== secretName)
    await removeCredential(services.secrets, storedProvider);
  return provider;
}

const secretNeeded = () =>
  invalidRequest('Enter the client secret. A stored one is used only with the issuer and client it belongs to', [
    'clientSecret',
  ]);

async function storeSecret(
  { secrets, randomId }: Pick<ProviderStore, 'secrets' | 'randomId'>,
  organizationId: string,
  clientSecret: string,
): Promise<string> {
  const secret = { organizationId, secretId: randomId(COMPANY_LIMITS.secretNameCharacters) };
  await secrets.put(secret, clientSecret);
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
