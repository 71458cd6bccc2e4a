/**
 * §5.3 Starts the real local issuer for one test file. The service of a file that imports this accepts its access tokens.
 * It signs in the members of the service's own table and follows the test's clock.
 *
 *     const stage = await service();
 *     const { api, accessToken, refreshToken } = await login(stage, {
 *       account: await member(stage, 'admin'),         // of stage.organizationId
 *       scopes: ['results:read', 'offline_access'],    // no offline_access: no refreshToken
 *       resource: `${stage.origin}/mcp`,               // the service's origin unless given
 *     });
 *
 * `login` follows the pages like a person. Its parts are `authorize` (up to the redirect) and `redeem`. `refresh` and
 * `revoke` are other endpoints of the issuer. All except `login` return errors as they are.
 */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import { listen } from '#infra/local/host/http-server.ts';
import { type IssuerOptions, openIssuer } from '#infra/local/oauth/issuer.ts';
import type { Account } from '#shared/model/account.ts';
import { type Browser, browser, left, type Page, shown } from './browser.ts';
import { type Answer, type Client, client } from './client.ts';
import { acceptTokensOf, type Tenant, type TestService } from './service.ts';

type Stage = Pick<TestService & Tenant, 'origin' | 'organizationId'>;

const CLIENT_ID = 'rundown-cli';
/** Unused address: tests read the redirect instead of following it. */
const REDIRECT_URI = 'http://127.0.0.1:51999/callback';

let running: { readonly issuer: string; readonly close: () => Promise<void> };
/** Errors that the issuer reports. None are expected. */
export const issuerFaults: string[] = [];

acceptTokensOf(async (service) => {
  const resource = () => service().origin;
  const services = () => service().services;
  running = await serveIssuer({ resource, services, onFault: (fault) => issuerFaults.push(fault) });
  return running.issuer;
});
afterAll(() => running.close());

/** The local issuer on its own port. */
export async function serveIssuer(options: Omit<IssuerOptions, 'issuer'>) {
  const server = await listen(0);
  const issuer = await openIssuer({ ...options, issuer: server.origin });
  server.serve(issuer.handle);
  const close = async () => {
    await server.close();
    await issuer.close();
  };
  return { issuer: server.origin, close };
}

/** The address of the issuer, available when the first test runs. */
export const issuerOrigin = (): string => running.issuer;

export interface Proof {
  readonly verifier: string;
  readonly challenge: string;
}

/** A PKCE verifier with its S256 challenge (RFC 7636). */
export function proof(): Proof {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

type Parameters = Readonly<Record<string, string | undefined>>;
type MultiValue = Readonly<Record<string, string | readonly string[] | undefined>>;

/** `more` replaces parameters; `undefined` removes them. */
export function authorizationUrl(scopes: readonly string[], challenge: string, more: MultiValue = {}): URL {
  const url = new URL('/api/auth/oauth2/authorize', running.issuer);
  const usual = {
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: REDIRECT_URI,
    scope: scopes.join(' '),
    state: 'of the test',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries({ ...usual, ...more })) {
    for (const one of [value].flat()) if (one !== undefined) url.searchParams.append(name, one);
  }
  return url;
}

export interface SignIn {
  readonly account: Pick<Account, 'accountId'>;
  readonly scopes: readonly string[];
  readonly resource?: string | readonly string[];
}

/** Signs in, up to the page with the members of the organization. */
export async function toMembers(by: Browser, { organizationId }: Stage, url: URL): Promise<Page> {
  const page = shown(await by.open(url));
  // The choice is skipped for a single organization.
  if (page.html.includes('name="account"')) return page;
  return shown(await by.follow(page, `?organization=${organizationId}`));
}

/** Continues to the consent page. */
export async function toConsent(by: Browser, stage: Stage, signIn: SignIn, challenge: string): Promise<Page> {
  const { account, scopes, resource } = signIn;
  const page = await toMembers(by, stage, authorizationUrl(scopes, challenge, { resource }));
  return shown(await by.submit(page, 'Continue', { account: account.accountId }));
}

/** Gives consent and returns the redirect with the code. */
export async function authorize(stage: Stage, signIn: SignIn): Promise<{ code: string; redirect: URL; proof: Proof }> {
  const by = browser(running.issuer);
  const own = proof();
  const redirect = left(await by.submit(await toConsent(by, stage, signIn, own.challenge), 'Allow'));
  const code = redirect.searchParams.get('code');
  if (code === null) throw new Error(`The redirect has no code: ${redirect}`);
  return { code, redirect, proof: own };
}

const token = (path: 'token' | 'revoke', parameters: Parameters): Promise<Answer> => {
  const body = new URLSearchParams({ client_id: CLIENT_ID });
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) body.set(name, value);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return client(running.issuer).send('POST', `@/api/auth/oauth2/${path}`, body.toString(), { headers });
};

export const redeem = (code: string, verifier: string | undefined, more: Parameters = {}): Promise<Answer> =>
  token('token', {
    grant_type: 'authorization_code',
    redirect_uri: REDIRECT_URI,
    code,
    code_verifier: verifier,
    ...more,
  });

export const refresh = (refreshToken: string, more: Parameters = {}): Promise<Answer> =>
  token('token', { grant_type: 'refresh_token', refresh_token: refreshToken, ...more });

export const revoke = (value: string, more: Parameters = {}): Promise<Answer> =>
  token('revoke', { token: value, ...more });

export interface Tokens {
  readonly accessToken: string;
  /** The refresh token, empty without `offline_access`. */
  readonly refreshToken: string;
  readonly scopes: readonly string[];
  /** A client of the service with this token. */
  readonly api: Client;
}

export async function login(stage: Stage, signIn: SignIn): Promise<Tokens> {
  const { code, proof: own } = await authorize(stage, signIn);
  return tokensIn(stage, await redeem(code, own.verifier));
}

/** Expects a successful response of the token endpoint. */
export function tokensIn({ origin }: Pick<Stage, 'origin'>, { status, body }: Answer): Tokens {
  if (status !== 200) throw new Error(`The issuer returned ${status}: ${JSON.stringify(body)}`);
  const { access_token: accessToken, refresh_token: refreshToken = '', scope = '' } = body;
  return { accessToken, refreshToken, scopes: scope.split(' '), api: client(origin, accessToken) };
}
