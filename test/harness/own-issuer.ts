/**
 * §5.3 A person and an application that use the service's own authorization server. The test file must first call
 * `issueOwnTokens()` of `service.ts` at module level.
 *
 *     const stage = await service();
 *     const { api, accessToken, refreshToken } = await login(stage, {
 *       account: await member(stage, 'admin'),         // of stage.organizationId
 *       scopes: ['results:read', 'offline_access'],    // without offline_access there is no refreshToken
 *       resource: `${stage.origin}/mcp`,               // default: the origin of the service
 *     });
 *
 * The steps are `ask` (up to the consent page), `decide` (up to the redirect) and `redeem`. `ask` and `decide` throw if
 * a response is not the expected redirect. `redeem` returns error responses unchanged.
 */
import { createHash, randomBytes } from 'node:crypto';
import { parse } from 'parse5';
import type { Account } from '#shared/model/organizations/account.ts';
import { type Answer, type Client, client } from './client.ts';
import { attribute, elementsIn } from './elements.ts';
import type { Tenant, TestService } from './service.ts';
import { type Shown, signIn, type Visitor, visitor } from './visitor.ts';

type Stage = TestService & Tenant;

const COMMAND_LINE = 'rundown-cli';
/**
 * The redirect URI of the application. Nothing listens at this address, because tests read redirects instead of
 * following them.
 */
export const REDIRECT_URI = 'http://127.0.0.1:51999/callback';

export interface Proof {
  readonly verifier: string;
  readonly challenge: string;
}

/** A PKCE verifier with its S256 challenge (RFC 7636). */
export function proof(): Proof {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

type MultiValue = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The path of an authorization request. `more` adds or replaces parameters, and `undefined` removes them. */
export function authorizationPath(scopes: readonly string[], challenge: string, more: MultiValue = {}): string {
  const usual = {
    response_type: 'code',
    client_id: COMMAND_LINE,
    redirect_uri: REDIRECT_URI,
    scope: scopes.join(' '),
    state: 'of the test',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...usual, ...more })) {
    for (const one of [value].flat()) if (one !== undefined) query.append(name, one);
  }
  return `/api/auth/oauth2/authorize?${query}`;
}

/** An authorization request that waits for consent in a browser. */
export interface Asked {
  readonly page: Shown;
  /** The path of the consent page. */
  readonly path: string;
  readonly browser: Visitor;
  readonly account: Pick<Account, 'accountId'>;
}

const cookiesIn = ({ headers }: Shown): string =>
  headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');

const locationOf = ({ headers, status, text }: Shown): string => {
  const location = headers.get('location');
  if (location === null) throw new Error(`Expected a redirect, got ${status}: ${text}`);
  return location;
};

/** Opens the address of an authorization request as this person, who signs in first by default. Returns the consent page. */
export async function ask(stage: Stage, account: Account, path: string, by?: Visitor): Promise<Asked> {
  const person = by ?? (await signIn(stage, account));
  const begun = await visitor(stage.origin).get(path);
  const consent = new URL(locationOf(begun), stage.origin).pathname;
  const browser = visitor(stage.origin, `${person.cookie}; ${cookiesIn(begun)}`);
  return { page: await browser.get(consent), path: consent, browser, account };
}

export interface Decision {
  readonly decision?: 'allow' | 'deny';
  /** The scopes that the person selects. Default: none. */
  readonly scopes?: readonly string[];
}

/** Submits the consent form. Returns the redirect to the application. */
export async function decide(stage: Stage, asked: Asked, { decision = 'allow', scopes = [] }: Decision): Promise<URL> {
  const fields = new URLSearchParams({ decision, accountId: asked.account.accountId });
  fields.set('organizationId', stage.organizationId);
  for (const scope of scopes) fields.append('scopes', scope);
  const settled = await asked.browser.postAll(asked.path, fields);
  const resumed = new URL(locationOf(settled));
  return new URL(locationOf(await asked.browser.get(resumed.pathname)));
}

export interface SignIn {
  readonly account: Account;
  readonly scopes: readonly string[];
  readonly resource?: string;
  readonly clientId?: string;
  readonly redirectUri?: string;
}

/**
 * Opens the consent page and allows all requested scopes. Returns the redirect, the authorization code in it, and the
 * PKCE verifier.
 */
export async function authorize(
  stage: Stage,
  { account, scopes, resource, clientId = COMMAND_LINE, redirectUri = REDIRECT_URI }: SignIn,
) {
  const own = proof();
  const more = { resource, client_id: clientId, redirect_uri: redirectUri };
  const path = authorizationPath(scopes, own.challenge, more);
  const redirect = await decide(stage, await ask(stage, account, path), { scopes });
  const code = redirect.searchParams.get('code');
  if (code === null) throw new Error(`The redirect has no code: ${redirect}`);
  return { code, redirect, proof: own };
}

type Parameters = Readonly<Record<string, string | undefined>>;

const send = (origin: string, path: 'token' | 'revoke', parameters: Parameters): Promise<Answer> => {
  const body = new URLSearchParams({ client_id: COMMAND_LINE });
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) body.set(name, value);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return client(origin).send('POST', `@/api/auth/oauth2/${path}`, body.toString(), { headers });
};

type Origin = Pick<Stage, 'origin'>;

export const redeem = ({ origin }: Origin, code: string, verifier: string | undefined, more: Parameters = {}) =>
  send(origin, 'token', {
    grant_type: 'authorization_code',
    redirect_uri: REDIRECT_URI,
    code,
    code_verifier: verifier,
    ...more,
  });

export const refresh = ({ origin }: Origin, refreshToken: string, more: Parameters = {}) =>
  send(origin, 'token', { grant_type: 'refresh_token', refresh_token: refreshToken, ...more });

export const revoke = ({ origin }: Origin, value: string, more: Parameters = {}) =>
  send(origin, 'revoke', { token: value, ...more });

export interface Tokens {
  readonly accessToken: string;
  /** Empty without the scope `offline_access`. */
  readonly refreshToken: string;
  readonly scopes: readonly string[];
  /** A client that sends the access token. */
  readonly api: Client;
}

export async function login(stage: Stage, signIn: SignIn): Promise<Tokens> {
  const { code, proof: own } = await authorize(stage, signIn);
  const { clientId = COMMAND_LINE, redirectUri = REDIRECT_URI } = signIn;
  const sent = { client_id: clientId, redirect_uri: redirectUri };
  return tokensIn(stage, await redeem(stage, code, own.verifier, sent));
}

/** Returns the tokens in a response of the token endpoint. Throws if the response is an error. */
export function tokensIn({ origin }: Origin, { status, body }: Answer): Tokens {
  if (status !== 200) throw new Error(`The issuer returned ${status}: ${JSON.stringify(body)}`);
  const { access_token: accessToken, refresh_token: refreshToken = '', scope = '' } = body;
  return { accessToken, refreshToken, scopes: scope.split(' '), api: client(origin, accessToken) };
}

/** Allows or denies everything that the consent page asks for. Returns the redirect to the application. */
export async function consent({ origin, pathname, search }: URL, session: string, decision: 'allow' | 'deny') {
  const begun = await visitor(origin).get(pathname + search);
  const path = new URL(locationOf(begun), origin).pathname;
  const browser = visitor(origin, `${session}; ${cookiesIn(begun)}`);
  const { html } = await browser.get(path);
  const inputs = elementsIn(parse(html)).filter(({ tagName }) => tagName === 'input');
  const fields = new URLSearchParams({ decision });
  for (const input of inputs) {
    const name = attribute(input, 'name') ?? '';
    if (attribute(input, 'type') !== 'radio' || !fields.has(name)) fields.append(name, attribute(input, 'value') ?? '');
  }
  const settled = await browser.postAll(path, fields);
  return new URL(locationOf(await browser.get(new URL(locationOf(settled)).pathname)));
}
