/**
 * §5 Sign-in with GitHub, which speaks OAuth but not OpenID Connect. Two requests say who the person is, and then the
 * token is dropped.
 */

import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  fetchProtectedResource,
} from 'openid-client';
import * as z from 'zod';
import { makeGuardedFetch } from '#shared/company-sign-in/guarded-fetch.ts';
import type { FlowSecrets, ProviderAccess } from '#shared/company-sign-in/openid.ts';
import { describeProblem } from '#shared/company-sign-in/provider-problem.ts';
import { ApiError } from '#shared/engine/errors.ts';
import { GITHUB_URL } from '#shared/model/sign-in/deployment-provider.ts';
import type { Network } from '#shared/sending/exchange.ts';
import { providerSignInFailed } from './errors.ts';
import { GithubEmails, GithubUser } from './github-wire.ts';
import type { StatedPerson } from './stated-person.ts';

export function openGithub({ issuer, clientId, clientSecret = '-' }: ProviderAccess, network: Network): Configuration {
  const authorizationServer = {
    issuer: `${issuer}/login/oauth`,
    authorization_endpoint: `${issuer}/login/oauth/authorize`,
    token_endpoint: `${issuer}/login/oauth/access_token`,
  };
  const configuration = new Configuration(authorizationServer, clientId, {}, ClientSecretPost(clientSecret));
  configuration[customFetch] = makeGuardedFetch(network);
  if (issuer.startsWith('http:')) allowInsecureRequests(configuration);
  return configuration;
}

export async function buildGithubUrl(
  configuration: Configuration,
  { state, verifier }: FlowSecrets,
  redirectUri: string,
): Promise<string> {
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'read:user user:email',
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return url.href;
}

/** `url`: the whole address at which the answer arrived. */
export async function readGithubPerson(
  configuration: Configuration,
  { state, verifier }: FlowSecrets,
  { url, issuer }: { readonly url: URL; readonly issuer: string },
): Promise<StatedPerson> {
  try {
    const { access_token: token } = await authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    const user = GithubUser.parse(await readFromApi(configuration, token, issuer, '/user'));
    const emails = GithubEmails.parse(await readFromApi(configuration, token, issuer, '/user/emails?per_page=100'));
    const email = emails.find(({ primary, verified }) => primary && verified)?.email;
    return { subject: String(user.id), name: user.name || user.login, provenAddress: email };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof z.ZodError) throw providerSignInFailed('GitHub did not say who you are');
    throw providerSignInFailed(describeProblem(error));
  }
}

async function readFromApi(
  configuration: Configuration,
  token: string,
  issuer: string,
  path: string,
): Promise<unknown> {
  const api = issuer === GITHUB_URL ? 'https://api.github.com' : `${issuer}/api/v3`;
  const headers = new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'rundown' });
  const answer = await fetchProtectedResource(configuration, token, new URL(api + path), 'GET', null, headers);
  if (answer.status !== 200) throw providerSignInFailed(`GitHub answered ${answer.status}`);
  return answer.json().catch(() => undefined);
}
