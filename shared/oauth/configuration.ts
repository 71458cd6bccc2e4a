/** §5.3 Configures oidc-provider: codes with PKCE for public clients, and access tokens as JWTs (RFC 9068). */

import { type ClientMetadata, type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { ACCESS_LIMITS } from '#shared/access/limits.ts';
import { DAY_SECONDS } from '#shared/engine/durations.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import { memberships } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { isScope, SCOPES } from '#shared/model/organizations/permissions.ts';
import { COMMAND_LINE } from './applications.ts';
import { fetchDocument } from './documents.ts';
import { findGrantDetails } from './grant-rows.ts';
import { OAUTH_LIMITS } from './limits.ts';
import { listResources, PATHS, pickDefaultResource } from './paths.ts';
import { getRequestState } from './request-state.ts';
import { SIGNING_ALGORITHM, type Signer } from './signer.ts';
import { makeAdapter } from './storage-adapter.ts';

/** The defaults of client metadata. Every client is a public client: an installed program or a web application. */
const CLIENT_DEFAULTS = {
  // The metadata of Claude Code does not contain `application_type`. With the default `web`, the random loopback port
  // in its redirect URI would be refused.
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  // The response mode `form_post` would put the authorization code into a page of this origin.
  response_modes: ['query'],
  id_token_signed_response_alg: SIGNING_ALGORITHM,
} as const;

const COMMAND_LINE_CLIENT: ClientMetadata = {
  ...CLIENT_DEFAULTS,
  client_id: COMMAND_LINE,
  client_name: 'Rundown CLI',
  redirect_uris: ['http://127.0.0.1/callback'],
};

const FEATURES: Configuration['features'] = {
  devInteractions: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  dPoP: { enabled: false },
  userinfo: { enabled: false },
  externalSigningSupport: { enabled: true, ack: 'experimental-01' },
  clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
  registration: { enabled: true, issueRegistrationAccessToken: false },
  revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
};

const LIVES_SECONDS = {
  AccessToken: ACCESS_LIMITS.accessTokenSeconds,
  IdToken: ACCESS_LIMITS.accessTokenSeconds,
  AuthorizationCode: OAUTH_LIMITS.codeSeconds,
  RefreshToken: OAUTH_LIMITS.refreshTokenSeconds,
  Grant: OAUTH_LIMITS.grantDays * DAY_SECONDS,
  Interaction: OAUTH_LIMITS.consentSeconds,
  Session: OAUTH_LIMITS.consentSeconds,
} as const;

/** The configuration of oidc-provider. The first of the `keys` signs tokens, and the other keys are only published. */
export const buildConfiguration = (origin: string, keys: readonly Signer[]): Configuration => ({
  adapter: makeAdapter,
  jwks: { keys },
  clients: [COMMAND_LINE_CLIENT],
  clientDefaults: CLIENT_DEFAULTS,
  clientAuthMethods: ['none'],
  clientBasedCORS: () => false,
  responseTypes: ['code'],
  pkce: { required: () => true },
  scopes: ['openid', 'offline_access'],
  extraParams: { scope: requireScope },
  routes: PATHS,
  cookies: makeCookieOptions(origin),
  interactions: { url: (_ctx, { uid }) => `${origin}/oauth/consent/${uid}` },
  fetch: fetchDocument,
  features: { ...FEATURES, resourceIndicators: makeResourceOptions(origin) },
  ttl: LIVES_SECONDS,
  rotateRefreshToken: () => true,
  revokeGrantPolicy: () => true,
  expiresWithSession: () => false,
  extraTokenClaims: (ctx) => ({ org_id: findContextDetails(ctx)?.organizationId }),
  findAccount: async (ctx, accountId, token) => {
    const stands = token === undefined || (await isHolder(ctx, accountId));
    return stands ? { accountId, claims: () => ({ sub: accountId }) } : undefined;
  },
  renderError: (ctx, { error, error_description: description = '' }) => {
    getRequestState().problem = { statusCode: ctx.status, error, description };
  },
});

/** They last for one authorization request. They have a path, so they cannot have the prefix `__Host-`. */
function makeCookieOptions(origin: string): Configuration['cookies'] {
  const prefix = origin.startsWith('https:') ? '__Secure-rdn' : 'rdn';
  return {
    names: { session: `${prefix}_as`, interaction: `${prefix}_i`, resume: `${prefix}_r` },
    long: {
      httpOnly: true,
      sameSite: 'lax',
      path: `${new URL(origin).pathname.replace(/\/$/, '')}${PATHS.authorization}`,
    },
    short: { httpOnly: true, sameSite: 'lax' },
  };
}

const makeResourceOptions = (origin: string) =>
  ({
    enabled: true,
    defaultResource: (_ctx: KoaContextWithOIDC, { clientId }: { readonly clientId: string }) =>
      pickDefaultResource(origin, clientId),
    useGrantedResource: () => true,
    getResourceServerInfo: (_ctx: KoaContextWithOIDC, indicator: string) => {
      if (!listResources(origin).includes(indicator)) {
        throw new errors.InvalidTarget(`resource must be exactly ${listResources(origin).join(' or ')}`);
      }
      const jwt = { sign: { alg: SIGNING_ALGORITHM } } as const;
      return { scope: SCOPES.join(' '), audience: indicator, accessTokenFormat: 'jwt', jwt } as const;
    },
  }) as const;

const findContextDetails = (ctx: KoaContextWithOIDC) => findGrantDetails(ctx.oidc.entities.Grant?.rar);

/** §5.2 Active organization, and membership since before consent: rejoining revives no earlier grant or token. */
async function isHolder(ctx: KoaContextWithOIDC, accountId: string): Promise<boolean> {
  const details = findContextDetails(ctx);
  if (!details) return false;
  const { organizationId, grantedAt } = details;
  const organizationLookup = makeLookup(organizations, { organizationId });
  const membershipLookup = makeLookup(memberships, { organizationId, accountId });
  const { table } = getRequestState().services;
  const rows = await table.getTogether([organizationLookup, membershipLookup], { consistent: true });
  const organization = rows.of(organizationLookup);
  const membership = rows.of(membershipLookup);
  if (!organization || organization.deactivatedAt !== undefined || !membership) return false;
  return membership.startedAt <= grantedAt;
}

/** Every operation would refuse a token without an API scope. An early error lets the client correct its request. */
function requireScope(_ctx: KoaContextWithOIDC, scope: unknown): void {
  const requestedScope = typeof scope === 'string' ? scope : '';
  if (!requestedScope.split(' ').some(isScope)) {
    throw new errors.InvalidScope(
      `The request asks for no scope of this API. Ask for at least one of ${SCOPES.join(', ')}`,
      requestedScope,
    );
  }
}
