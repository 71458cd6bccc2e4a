/** OpenID Connect with the provider of a company or of this deployment. Every request goes through the guarded connection (§6, SSRF). */
import { createHash } from 'node:crypto';
import {
  type AuthorizationCodeGrantChecks,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client';
import { ApiError } from '#shared/engine/errors.ts';
import type { Network } from '#shared/sending/exchange.ts';
import { findUrlProblem } from '#shared/sending/url-rules.ts';
import type { Claims } from './claims.ts';
import { companySignInFailed, providerNotReachable } from './errors.ts';
import { makeGuardedFetch } from './guarded-fetch.ts';
import { COMPANY_LIMITS } from './limits.ts';
import { describeProblem } from './provider-problem.ts';

export interface ProviderAccess {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent while an Admin only tries an issuer. */
  readonly clientSecret?: string | undefined;
}

/** What ties an answer of the provider to the request in this browser. All parts follow from one secret. */
export interface FlowSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Whoever knows the challenge knows the rest, so the cookie is as secret as a password. */
export const deriveSecrets = (challenge: string): FlowSecrets => {
  const derive = (part: string) => createHash('sha256').update(`${part} ${challenge}`).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
};

/**
 * Reads the configuration of the provider. It is read at each sign-in and never cached: people sign in once a day, and
 * a provider that changes its keys or addresses must not lock them out.
 */
export async function openProvider(
  { issuer, clientId, clientSecret }: ProviderAccess,
  network: Network,
): Promise<Configuration> {
  const problem = findUrlProblem(issuer, network);
  if (problem !== undefined) throw providerNotReachable(problem);
  const issuerUrl = new URL(issuer);
  const settings = [enableNonRepudiationChecks];
  if (issuerUrl.protocol === 'http:') settings.push(allowInsecureRequests);
  try {
    return await discovery(
      issuerUrl,
      clientId,
      { [clockTolerance]: COMPANY_LIMITS.clockToleranceSeconds },
      chooseAuthentication(clientSecret),
      { [customFetch]: makeGuardedFetch(network), execute: settings },
    );
  } catch (error) {
    const place = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    throw providerNotReachable(`${describeProblem(error)}. Rundown reads ${place}`);
  }
}

/**
 * In the body where the provider accepts that, because some do not decode the `Authorization` header as RFC 6749 says.
 * Providers that name no method expect the header (OpenID Connect Core 9).
 */
function chooseAuthentication(secret: string | undefined): ReturnType<typeof ClientSecretPost> {
  const post = ClientSecretPost(secret ?? '-');
  const basic = ClientSecretBasic(secret ?? '-');
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_post') ? post : basic)(server, client, body, headers);
  };
}

interface ProviderVisit {
  readonly redirectUri: string;
  /** Whether the person must prove again who they are. */
  readonly proves: boolean;
  /** The address that the provider may fill in. */
  readonly loginHint?: string;
}

export async function buildProviderUrl(
  configuration: Configuration,
  { state, nonce, verifier }: FlowSecrets,
  { redirectUri, proves, loginHint }: ProviderVisit,
): Promise<string> {
  const parameters: Record<string, string> = {
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  // The person must enter a password or second factor again, and the answer says when.
  if (proves) parameters['max_age'] = '0';
  if (loginHint !== undefined) parameters['login_hint'] = loginHint;
  return buildAuthorizationUrl(configuration, parameters).href;
}

/** `url`: the whole address at which the answer arrived. `proves`: whether the person had to prove again who they are. */
export async function readClaims(
  configuration: Configuration,
  { state, nonce, verifier }: FlowSecrets,
  { url, proves }: { readonly url: URL; readonly proves: boolean },
): Promise<Claims> {
  try {
    const checks: AuthorizationCodeGrantChecks = {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    };
    if (proves) checks.maxAge = COMPANY_LIMITS.clockToleranceSeconds;
    const tokens = await authorizationCodeGrant(configuration, url, checks);
    const claims = tokens.claims();
    if (!claims) throw companySignInFailed('The provider sent no ID token');
    const { userinfo_endpoint: endpoint } = configuration.serverMetadata();
    if (claims['email'] !== undefined || endpoint === undefined) return claims;
    const userInfo = await fetchUserInfo(configuration, tokens.access_token, claims.sub);
    return { ...userInfo, ...claims };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw companySignInFailed(describeProblem(error));
  }
}
