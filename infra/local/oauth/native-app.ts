/** RFC 8252: an application without a server of its own signs a person in through their browser and a loopback listener. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  None,
  ResponseBodyError,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { bind, closeServer, LOOPBACK, portOf } from '../http-server.ts';
import { CannotLogin, reasonOf, START } from './cannot-login.ts';
import { documentOf, html, type Page, securityHeaders } from './html.ts';
import type { Target } from './login-target.ts';
import { REDIRECT_PATH } from './names.ts';

export interface Login {
  readonly target: Target;
  readonly scope: string;
  readonly waitSeconds: number;
  /** Told the address that the person has to open. */
  readonly onAddress: (url: URL) => void;
}

export type Tokens = Awaited<ReturnType<typeof authorizationCodeGrant>>;

/** RFC 8414, else OpenID Connect Discovery. Throws `CannotLogin` when the issuer has neither. */
export async function discover({ issuer, clientId }: Target): Promise<Configuration> {
  const execute = issuer.protocol === 'http:' ? [allowInsecureRequests] : [];
  const ask = (algorithm: 'oauth2' | 'oidc') => discovery(issuer, clientId, undefined, None(), { algorithm, execute });
  try {
    return await ask('oauth2').catch(() => ask('oidc'));
  } catch (error) {
    const next = issuer.hostname === LOOPBACK ? START : 'See whether --issuer is written as its metadata has it.';
    throw new CannotLogin(`The issuer ${issuer.origin} does not answer as one: ${reasonOf(error)}`, next);
  }
}

export async function signIn(configuration: Configuration, login: Login): Promise<Tokens> {
  const { promise: answered, resolve: answer } = Promise.withResolvers<string>();
  const state = randomState();
  const server = createServer((request, response) => receive(request, response, state, answer));
  await bind(server, 0);
  try {
    const redirectUri = `http://${LOOPBACK}:${portOf(server)}${REDIRECT_PATH}`;
    const verifier = randomPKCECodeVerifier();
    const { scope, target, waitSeconds, onAddress } = login;
    const { resource } = target;
    const code_challenge = await calculatePKCECodeChallenge(verifier);
    const request = {
      redirect_uri: redirectUri,
      scope,
      resource,
      state,
      code_challenge,
      code_challenge_method: 'S256',
    };
    onAddress(buildAuthorizationUrl(configuration, request));
    const redirect = new URL(await within(waitSeconds, answered), redirectUri);
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    return await authorizationCodeGrant(configuration, redirect, checks, { resource });
  } catch (error) {
    throw refusal(error);
  } finally {
    await closeServer(server);
  }
}

/** Anybody on this machine may knock; only the answer to this very request is taken. */
function receive(
  { url = '/', method }: IncomingMessage,
  response: ServerResponse,
  state: string,
  answer: (url: string) => void,
) {
  const { pathname, searchParams } = new URL(url, 'http://loopback');
  const isOurs = method === 'GET' && pathname === REDIRECT_PATH && searchParams.get('state') === state;
  const headers = { 'Content-Type': 'text/html; charset=utf-8', Connection: 'close' };
  response.writeHead(isOurs ? 200 : 404, { ...securityHeaders(undefined), ...headers });
  response.end(documentOf(isOurs ? RECEIVED : NOT_OURS));
  if (isOurs) answer(url);
}

const RECEIVED: Page = {
  title: 'Back to the terminal',
  content: html`<p>The program has its answer. You can close this window.</p>`,
};
const NOT_OURS: Page = {
  title: 'This program waits for another answer',
  content: html`<p>Open the address that it printed last, and sign in there.</p>`,
};

async function within<T>(seconds: number, answer: Promise<T>): Promise<T> {
  const patience = new AbortController();
  const { signal } = patience;
  const late = wait(seconds * 1000, undefined, { signal }).then(() => {
    throw new CannotLogin(
      `Nobody signed in within ${seconds} s`,
      'Run it again and open the new address; --wait <seconds> waits longer.',
    );
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    patience.abort();
    late.catch(() => {});
  }
}

function refusal(error: unknown): unknown {
  if (error instanceof AuthorizationResponseError) {
    const denied = error.error === 'access_denied';
    return new CannotLogin(
      `The issuer refused: ${error.error}${error.error_description ? ` (${error.error_description})` : ''}`,
      denied ? 'Run it again and press Allow.' : 'Correct --scope, --resource or --client, and run it again.',
    );
  }
  if (error instanceof ResponseBodyError) {
    const said = `${error.error}${error.error_description ? ` (${error.error_description})` : ''}`;
    return new CannotLogin(`The issuer gave no token for the code: ${said}`, 'Run it again; a code is good once.');
  }
  if (error instanceof CannotLogin) return error;
  return new CannotLogin(`The sign-in failed: ${reasonOf(error)}`, 'Run it again. See whether the issuer still runs.');
}
