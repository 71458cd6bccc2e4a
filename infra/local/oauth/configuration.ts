/** §5.3 The local issuer grants authorization codes with PKCE to one public client, and JWTs as in RFC 9068. */
import type { ClientMetadata, Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { ACCESS_LIMITS } from '#shared/access/limits.ts';
import { SCOPES } from '#shared/model/permissions.ts';
import type { CoreServices } from '#shared/services.ts';
import { organizationOf } from './consent.ts';
import { findMember } from './members.ts';
import { CLIENT_ID, CLIENT_NAME, isScope, LIFETIMES_SECONDS, REDIRECT_PATH, ROUTES, resourcesAt } from './names.ts';
import { SIGNING_ALGORITHM, type signingKey } from './signing-key.ts';
import type { Store } from './store.ts';

export interface Parts {
  readonly store: Store;
  readonly key: Awaited<ReturnType<typeof signingKey>>;
  /** The API's origin. */
  readonly resource: () => string;
  readonly services: () => CoreServices | Promise<CoreServices>;
  readonly renderError: Configuration['renderError'];
}

export const SESSION_COOKIE_NAME = '_session';
/** Limits the session cookie to the pages that answer a prompt. So each new authorization request asks who signs in. */
export const SESSION_COOKIE = { httpOnly: true, sameSite: 'lax', path: `${ROUTES.authorization}/` } as const;

const CLIENT: ClientMetadata = {
  client_id: CLIENT_ID,
  client_name: CLIENT_NAME,
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  // `form_post` would put the code into a page of this origin.
  response_modes: ['query'],
  redirect_uris: [`http://127.0.0.1${REDIRECT_PATH}`],
  id_token_signed_response_alg: SIGNING_ALGORITHM,
};

export const configurationOf = ({ store, key, resource, services, renderError }: Parts): Configuration => ({
  adapter: store.adapter,
  jwks: { keys: [key] },
  clients: [CLIENT],
  clientAuthMethods: ['none'],
  clientBasedCORS: () => false,
  responseTypes: ['code'],
  pkce: { required: () => true },
  scopes: ['openid', 'offline_access'],
  extraParams: { scope: requireScope },
  routes: ROUTES,
  cookies: { names: { session: SESSION_COOKIE_NAME }, long: SESSION_COOKIE },
  interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  features: {
    devInteractions: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    dPoP: { enabled: false },
    userinfo: { enabled: false },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource(),
      useGrantedResource: () => true,
      getResourceServerInfo: (_ctx, indicator) => resourceServer(indicator, resource()),
    },
  },
  ttl: {
    AccessToken: ACCESS_LIMITS.accessTokenSeconds,
    IdToken: ACCESS_LIMITS.accessTokenSeconds,
    AuthorizationCode: 60,
    RefreshToken: LIFETIMES_SECONDS.refreshToken,
    Grant: LIFETIMES_SECONDS.grant,
    Interaction: LIFETIMES_SECONDS.signIn,
    Session: LIFETIMES_SECONDS.signIn,
  },
  rotateRefreshToken: () => true,
  extraTokenClaims: (ctx) => ({ org_id: organizationOf(ctx) }),
  findAccount: async (ctx, accountId, token) => {
    const since = token && ('iiat' in token ? token.iiat : token.iat);
    const stands = since === undefined || (await isMemberSince(await services(), ctx, accountId, since));
    return stands ? { accountId, claims: () => ({ sub: accountId }) } : undefined;
  },
  renderError,
});

/** §5.2 A later membership of the same person is a different one, for grants as for tokens. */
async function isMemberSince(services: CoreServices, ctx: KoaContextWithOIDC, accountId: string, seconds: number) {
  const organizationId = organizationOf(ctx);
  const member = organizationId && (await findMember(services, { organizationId, accountId }));
  return member ? member.startedAt <= seconds * 1000 : false;
}

function resourceServer(indicator: string, apiOrigin: string) {
  if (!resourcesAt(apiOrigin).includes(indicator)) {
    throw new errors.InvalidTarget(`resource must be ${resourcesAt(apiOrigin).join(' or ')}, written exactly so`);
  }
  const jwt = { sign: { alg: SIGNING_ALGORITHM } } as const;
  return { scope: SCOPES.join(' '), audience: indicator, accessTokenFormat: 'jwt', jwt } as const;
}

/** A token without an API scope would be refused everywhere. Refusing it here lets the client correct its request. */
function requireScope(_ctx: KoaContextWithOIDC, scope: unknown): void {
  const asked = typeof scope === 'string' ? scope : '';
  if (!asked.split(' ').some(isScope)) {
    throw new errors.InvalidScope(`ask for at least one of ${SCOPES.join(', ')}`, asked);
  }
}
