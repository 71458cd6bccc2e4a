/**
 * An OpenID Connect provider on this machine. It follows the protocol unless a test tells it to lie: whoever runs the
 * provider of an organization may state anything.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { type Received, receiver } from './receiver.ts';

type ProviderClaims = Readonly<Record<string, unknown>> & { readonly sub: string };

interface Grant {
  readonly claims: ProviderClaims;
  readonly nonce: string | null;
  readonly challenge: string | null;
  readonly redirectUri: string | null;
}

export const CLIENT_ID = 'rundown';
export const CLIENT_SECRET = 'a-client-secret-of-the-company';

type Key = Awaited<ReturnType<typeof makeKey>>;

async function makeKey() {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const kid = randomUUID();
  return { kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } };
}

export interface CompanyProviderStandIn {
  readonly issuer: string;
  /** Who is signed in at the provider, and what it says about them. */
  person: ProviderClaims;
  /** Overrides the ID token. */
  lie: JWTPayload;
  /** Overrides the configuration. */
  configuration: Readonly<Record<string, unknown>>;
  /** Signs with a key that the provider does not publish. */
  forges: boolean;
  /** The claims that only the UserInfo endpoint states. */
  userInfo: Readonly<Record<string, unknown>> | undefined;
  /** The error of the token endpoint. */
  tokenError: Readonly<Record<string, unknown>> | undefined;
  /** How far the clock of the provider is ahead, in seconds. */
  aheadSeconds: number;
  readonly rotateKeys: () => Promise<void>;
  /** The number of requests per path. */
  readonly requests: Map<string, number>;
  /** Does what a browser does at `location`: returns the address to which the provider sends it back. */
  readonly authorize: (location: string) => URL;
}

/** `stays`: for all tests of a file. */
export async function companyProvider(options: { readonly stays?: boolean } = {}): Promise<CompanyProviderStandIn> {
  let keys: Key[] = [await makeKey()];
  const unpublished = await makeKey();
  const grants = new Map<string, Grant>();
  const requests = new Map<string, number>();
  const { url } = await receiver((response, request) => void answer(request, response), options);
  const issuer = new URL(url).origin;
  const here: CompanyProviderStandIn = {
    issuer,
    person: { sub: 'kim', email: 'kim@acme.example', email_verified: true, name: 'Kim Roe' },
    lie: {},
    configuration: {},
    forges: false,
    userInfo: undefined,
    tokenError: undefined,
    aheadSeconds: 0,
    rotateKeys: async () => {
      keys = [await makeKey()];
    },
    requests,
    authorize: (location) => {
      const { searchParams } = new URL(location);
      const code = randomUUID();
      grants.set(code, {
        claims: here.person,
        nonce: searchParams.get('nonce'),
        challenge: searchParams.get('code_challenge'),
        redirectUri: searchParams.get('redirect_uri'),
      });
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', searchParams.get('state') ?? '');
      back.searchParams.set('iss', issuer);
      return back;
    },
  };

  async function answer({ path, body, header }: Received, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(path, issuer);
    requests.set(pathname, (requests.get(pathname) ?? 0) + 1);
    const send = (status: number, content: object) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(content));
    };
    if (pathname === '/.well-known/openid-configuration') return send(200, makeConfiguration());
    if (pathname === '/jwks') return send(200, { keys: keys.map(({ jwk }) => jwk) });
    if (pathname === '/userinfo') return send(200, { ...here.person, ...here.userInfo });
    if (pathname !== '/token') return send(404, {});
    if (here.tokenError) return send(400, here.tokenError);
    const form = new URLSearchParams(body);
    const grant = grants.get(form.get('code') ?? '');
    grants.delete(form.get('code') ?? '');
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const [, basic = ''] = (header('authorization') ?? '').split(' ');
    const [id, secret] = Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent);
    const isClient = id === CLIENT_ID && secret === CLIENT_SECRET;
    if (!isClient && form.get('client_secret') !== CLIENT_SECRET) return send(401, { error: 'invalid_client' });
    if (grant?.challenge !== verifier || grant.redirectUri !== form.get('redirect_uri'))
      return send(400, { error: 'invalid_grant' });
    send(200, { access_token: randomUUID(), token_type: 'Bearer', expires_in: 60, id_token: await sign(grant) });
  }

  const makeConfiguration = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    authorization_response_iss_parameter_supported: true,
    ...here.configuration,
  });

  async function sign({ claims, nonce }: Grant): Promise<string> {
    const now = Math.floor(Date.now() / 1000) + here.aheadSeconds;
    const stated = here.userInfo === undefined ? claims : { sub: claims.sub };
    const payload: JWTPayload = {
      iss: issuer,
      aud: CLIENT_ID,
      iat: now,
      exp: now + 300,
      auth_time: now,
      ...(nonce === null ? {} : { nonce }),
      ...stated,
      ...here.lie,
    };
    const { privateKey } = here.forges ? unpublished : (keys[0] ?? unpublished);
    const kid = keys[0]?.kid ?? '';
    return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey);
  }
  return here;
}
