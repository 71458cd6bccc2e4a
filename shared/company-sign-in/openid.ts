/** OpenID Connect with the provider of a company or of this deployment. Every request goes through the guarded connection (§6, SSRF). */
import { createHash } from 'node:crypto';
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  ResponseBodyError,
} from 'openid-client';
import { ApiError } from '#shared/engine/errors.ts';
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { type Network, sendRequest } from '#shared/sending/exchange.ts';
import { findUrlProblem } from '#shared/sending/url-rules.ts';
import { companySignInFailed, providerNotReachable } from './errors.ts';
import { COMPANY_LIMITS } from './limits.ts';

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
  const isPlain = issuerUrl.protocol === 'http:';
  try {
    const configuration = await discovery(
      issuerUrl,
      clientId,
      { [clockTolerance]: COMPANY_LIMITS.clockToleranceSeconds },
      chooseAuthentication(clientSecret),
      {
        [customFetch]: makeGuardedFetch(network),
        execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
      },
    );
    return configuration;
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

export async function buildProviderUrl(
  configuration: Configuration,
  { state, nonce, verifier }: FlowSecrets,
  {
    redirectUri,
    proves,
    loginHint,
  }: { readonly redirectUri: string; readonly proves: boolean; readonly loginHint?: string },
): Promise<string> {
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    // The person must enter a password or second factor again, and the answer says when.
    ...(proves ? { max_age: '0' } : {}),
    ...(loginHint === undefined ? {} : { login_hint: loginHint }),
  });
  return url.href;
}

/** The claims of the ID token, completed by those of the UserInfo endpoint. Nothing in them has been checked. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/**
 * Microsoft Entra states addresses that people can change themselves, and no `email_verified`. A tenant that adds the
 * claim `xms_edov` states whether the owner of the domain of the address was checked.
 */
const ENTRA = /^https:\/\/login\.microsoftonline\.[a-z]+\//;

/** Only the boolean `true` counts: a text such as `"false"` would be true in JavaScript. */
export const isAddressVerified = (issuer: string, claims: Claims): boolean =>
  claims[ENTRA.test(issuer) ? 'xms_edov' : 'email_verified'] === true;

/** `url`: the whole address at which the answer arrived. `proves`: see `buildProviderUrl`. */
export async function readClaims(
  configuration: Configuration,
  { state, nonce, verifier }: FlowSecrets,
  { url, proves }: { readonly url: URL; readonly proves: boolean },
): Promise<Claims> {
  try {
    const tokens = await authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
      ...(proves ? { maxAge: COMPANY_LIMITS.clockToleranceSeconds } : {}),
    });
    const claims = tokens.claims();
    if (!claims) throw companySignInFailed('The provider sent no ID token');
    const hasAll = claims['email'] !== undefined;
    const { userinfo_endpoint: endpoint } = configuration.serverMetadata();
    if (hasAll || endpoint === undefined) return claims;
    return { ...(await fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw companySignInFailed(describeProblem(error));
  }
}

/** The library follows no redirects. The connection refuses addresses that this service may not reach. */
export function makeGuardedFetch(network: Network): CustomFetch {
  return async (text, { method, headers, body }) => {
    const problem = findUrlProblem(text, network);
    if (problem !== undefined) throw new UnreachableProvider(problem);
    if (method !== 'GET' && method !== 'POST') throw new UnreachableProvider(`The method ${method} is not sent`);
    const { answerBytes: bytes } = COMPANY_LIMITS;
    const answer = await sendRequest(
      {
        method,
        url: new URL(text),
        headers: { Accept: 'application/json', ...headers },
        body: body instanceof URLSearchParams || typeof body === 'string' ? String(body) : '',
        answerBytes: { read: bytes, kept: bytes },
      },
      network,
    );
    const { statusCode, error } = answer;
    if (statusCode === null) throw new UnreachableProvider(error ?? 'No answer');
    const contentType = answer.headers?.['content-type'];
    return new Response(answer.text ?? '', {
      status: statusCode,
      headers: contentType === undefined ? {} : { 'content-type': contentType },
    });
  };
}

class UnreachableProvider extends Error {
  override name = 'UnreachableProvider';
}

/** Texts of the provider are shown as one short line, because whoever runs it chooses them. */
export function describeProblem(error: unknown): string {
  const cause = findCause(error);
  if (cause instanceof UnreachableProvider) return `It cannot be reached: ${cause.message}`;
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return `The provider answered: ${quote([error.error, error.error_description].filter(Boolean).join(', '))}`;
  // A configuration with a member of the wrong type makes the library throw a TypeError.
  if (error instanceof ClientError || error instanceof TypeError)
    return `The answer of the provider is not valid: ${quote(error.message)}`;
  throw error;
}

function findCause(error: unknown): unknown {
  let cause = error;
  while (cause instanceof Error && !(cause instanceof UnreachableProvider) && cause.cause !== undefined)
    cause = cause.cause;
  return cause;
}

const quote = (text: string): string => makeVisibleLine(takeFirstCharacters(text, COMPANY_LIMITS.messageCharacters));
