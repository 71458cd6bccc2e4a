/** An authorization server that a test controls. The test signs its tokens, even some that no real server would. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

export async function signingKey(alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const kid = crypto.randomUUID();
  return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

type Answer = (response: ServerResponse) => void;

export interface TestIssuer {
  readonly issuer: string;
  /** The key with which tests sign tokens. At first, its public part is the only element of `keys`. */
  key: SigningKey;
  /** The public keys that the server publishes. */
  keys: JWK[];
  /** Responses that replace the usual ones, by path. */
  readonly instead: Map<string, Answer>;
  /** The requested paths, in order. */
  readonly asked: string[];
  close(): Promise<void>;
}

export const METADATA = '/.well-known/oauth-authorization-server';
export const KEYS = '/keys';

export const json =
  (value: unknown): Answer =>
  (response) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify(value));

export async function startTestIssuer(): Promise<TestIssuer> {
  const key = await signingKey();
  const server = createServer(({ url = '' }, response) => {
    issuer.asked.push(url);
    const answer = issuer.instead.get(url) ?? usual(url);
    if (answer) answer(response);
    else response.writeHead(404).end();
  });
  const usual = (url: string): Answer | undefined => {
    if (url === METADATA) return json({ issuer: issuer.issuer, jwks_uri: `${issuer.issuer}${KEYS}` });
    return url === KEYS ? json({ keys: issuer.keys }) : undefined;
  };
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const close = () => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections());
  const issuer: TestIssuer = {
    issuer: `http://127.0.0.1:${portOf(server.address())}`,
    key,
    keys: [key.publicJwk],
    instead: new Map(),
    asked: [],
    close,
  };
  return issuer;
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === 'object' && address !== null ? address.port : 0;

/** The RFC 9068 claims for a member. `more` adds or replaces claims, and `undefined` removes them. */
export function claimsOf(
  { issuer }: Pick<TestIssuer, 'issuer'>,
  { origin, organizationId }: { readonly origin: string; readonly organizationId: string },
  accountId: string,
  more: JWTPayload = {},
): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: issuer,
    aud: origin,
    sub: accountId,
    org_id: organizationId,
    client_id: 'editor',
    jti: crypto.randomUUID(),
    iat: now,
    exp: now + 3600,
    scope: 'projects:read results:read',
    ...more,
  };
}

/** Signs an access token. `header` replaces members of its header, and `undefined` removes them. */
export const signed = (
  claims: JWTPayload,
  { kid, privateKey, publicJwk }: SigningKey,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: publicJwk.alg ?? 'ES256', typ: 'at+jwt', kid, ...header })
    .sign(privateKey, { crit: { 'urn:example': true } });

/** An issuer that does not exist. Its tokens are never accepted. */
export const NOBODY = { issuer: 'http://127.0.0.1:1', audience: 'http://127.0.0.1:1', isOwn: false } as const;
