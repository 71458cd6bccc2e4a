/** RFC 8252: signs a person in through their browser and a loopback listener. */

import { createServer } from 'node:http';
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
import { findCauseMessage } from '#infra/cli/terminal/cause-message.ts';
import { bind, closeServer, getPort, LOOPBACK, LOOPBACK_HOSTS } from '#infra/local/host/loopback.ts';
import { CannotLogin, START } from './cannot-login.ts';
import type { LoginTarget } from './login-target.ts';

/** The redirect path of the built-in OAuth client, which allows any port (RFC 8252). */
const REDIRECT_PATH = '/callback';

interface Login {
  readonly target: LoginTarget;
  readonly scope: string;
  readonly waitSeconds: number;
  /** Called with the URL that the person must open. */
  readonly onAddress: (url: URL) => void;
}

export type Tokens = Awaited<ReturnType<typeof authorizationCodeGrant>>;

/** Reads the issuer's metadata: RFC 8414 first, then OpenID Connect Discovery. Throws `CannotLogin` if both fail. */
export async function discover({ issuer, clientId }: LoginTarget): Promise<Configuration> {
  const execute = issuer.protocol === 'http:' ? [allowInsecureRequests] : [];
  const ask = (algorithm: 'oauth2' | 'oidc') => discovery(issuer, clientId, undefined, None(), { algorithm, execute });
  try {
    return await ask('oauth2').catch(() => ask('oidc'));
  } catch (error) {
    const next = LOOPBACK_HOSTS.includes(issuer.hostname)
      ? START
      : 'Check that the server can be reached, and that --issuer equals the issuer in its metadata';
    throw new CannotLogin(
      `${issuer.origin} does not answer as an authorization server: ${findCauseMessage(error)}`,
      next,
    );
  }
}

export async function signIn(
  configuration: Configuration,
  { target: { resource }, scope, waitSeconds, onAddress }: Login,
): Promise<Tokens> {
  const { promise: answerPromise, resolve: answer, reject: fail } = Promise.withResolvers<string>();
  const state = randomState();
  // Any local program can connect, so only a redirect with the expected `state` is accepted.
  const server = createServer(({ url = '/', method }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://loopback');
    const isExpected = method === 'GET' && pathname === REDIRECT_PATH && searchParams.get('state') === state;
    response.writeHead(isExpected ? 200 : 404, PAGE_HEADERS);
    response.end(isExpected ? RECEIVED : UNEXPECTED);
    if (isExpected) answer(url);
  });
  await bind(server, 0);
  try {
    const redirectUri = `http://${LOOPBACK}:${getPort(server)}${REDIRECT_PATH}`;
    const verifier = randomPKCECodeVerifier();
    const address = buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope,
      resource,
      state,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    onAddress(address);
    const timeoutError = new CannotLogin(
      `No sign-in within ${waitSeconds} s`,
      'Run the command again and open the new address. Add --wait <seconds> to wait longer',
    );
    const timer = setTimeout(() => fail(timeoutError), waitSeconds * 1000);
    const redirect = new URL(await answerPromise.finally(() => clearTimeout(timer)), redirectUri);
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    return await authorizationCodeGrant(configuration, redirect, checks, { resource });
  } catch (error) {
    throw toCannotLogin(error);
  } finally {
    await closeServer(server);
  }
}

function toCannotLogin(error: unknown): CannotLogin {
  if (error instanceof CannotLogin) return error;
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const { error: code, error_description: description } = error;
    const reason = `${code}${description ? ` (${description})` : ''}`;
    if (error instanceof ResponseBodyError)
      return new CannotLogin(
        `The issuer returned no token: ${reason}`,
        'Run the command again to get a new authorization code. If the command fails again, check --resource and --client',
      );
    return new CannotLogin(
      `The issuer refused the sign-in: ${reason}`,
      code === 'access_denied'
        ? 'Run the command again and press Allow'
        : 'Check --scope, --resource and --client, and run the command again',
    );
  }
  return new CannotLogin(
    `The sign-in failed: ${findCauseMessage(error)}`,
    'Check that the issuer is running, and run the command again',
  );
}

/** The pages have no styles and load nothing. */
const buildPage = (title: string, text: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Rundown</title>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</body>
</html>
`;

const RECEIVED = buildPage('Return to the terminal', 'It shows the result of the sign-in. You can close this window.');
const UNEXPECTED = buildPage('Unexpected response', 'Open the address that the terminal shows, and sign in there.');

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  Connection: 'close',
} as const;
