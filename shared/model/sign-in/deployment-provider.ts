/**
 * §5 The providers at which the people of this deployment sign in to their own accounts. The operator sets them, so they
 * are no rows: each function has them in an environment variable. The client secret is in Parameter Store.
 */

export const DEPLOYMENT_PROVIDERS = ['openid', 'github'] as const;
export type DeploymentProviderId = (typeof DEPLOYMENT_PROVIDERS)[number];

export interface DeploymentProvider {
  readonly providerId: DeploymentProviderId;
  /** What people read on the button. */
  readonly name: string;
  /** The issuer of OpenID Connect, spelled exactly as in its tokens, or the address of GitHub. */
  readonly issuer: string;
  readonly clientId: string;
  /**
   * The domains whose addresses the provider may prove, because the operator knows that it belongs to whoever owns them.
   * Always empty for GitHub.
   */
  readonly trustedDomains: readonly string[];
}

/** Whether the provider can ask again who the person is, and state when it did. GitHub cannot. */
export const canConfirm = ({ providerId }: Pick<DeploymentProvider, 'providerId'>): boolean => providerId === 'openid';

/** The client secrets are below this name in Parameter Store, where those of an organization are below its id. */
export const SIGN_IN_SECRETS = 'sign-in';

export const GITHUB_URL = 'https://github.com';

/** As the value of an environment variable. */
export const formatDeploymentProviders = (all: readonly DeploymentProvider[]): string =>
  new URLSearchParams(
    all.flatMap(({ providerId, name, issuer, clientId, trustedDomains }): [string, string][] => [
      [`${providerId}.name`, name],
      [`${providerId}.issuer`, issuer],
      [`${providerId}.client`, clientId],
      [`${providerId}.domains`, trustedDomains.join(',')],
    ]),
  ).toString();

/** Parses the result of `formatDeploymentProviders`. Without `text`, there are none. */
export function parseDeploymentProviders(text: string | undefined): DeploymentProvider[] {
  const parts = new URLSearchParams(text ?? '');
  return DEPLOYMENT_PROVIDERS.flatMap((providerId) => {
    const read = (part: string) => parts.get(`${providerId}.${part}`) ?? '';
    if (read('client') === '') return [];
    return {
      providerId,
      name: read('name'),
      issuer: read('issuer'),
      clientId: read('client'),
      trustedDomains: read('domains').split(',').filter(Boolean),
    };
  });
}
