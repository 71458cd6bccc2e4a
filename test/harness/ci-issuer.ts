/** The identity tokens of GitHub Actions and GitLab CI, from an issuer on this machine that a test can make misbehave. */
import type { ServerResponse } from 'node:http';
import type { JWTHeaderParameters, JWTPayload } from 'jose';
import { type SigningKey, signClaims } from './ci-claims.ts';
import { type Received, receiver } from './receiver.ts';

export interface CiIssuer {
  readonly issuer: string;
  /** The published keys. */
  keys: readonly object[];
  /** Answers instead of the configuration and the keys. */
  answer: ((path: string, response: ServerResponse) => boolean) | undefined;
  /** The paths of the requests. */
  readonly requests: string[];
  /** Signs claims. `more` replaces the header. */
  readonly sign: (
    claims: JWTPayload,
    more?: { readonly key?: SigningKey; readonly header?: Partial<JWTHeaderParameters> },
  ) => Promise<string>;
}

/** `stays`: for all tests of a file. */
export async function ciIssuer(key: SigningKey, options: { readonly stays?: boolean } = {}): Promise<CiIssuer> {
  const requests: string[] = [];
  const { url } = await receiver((response, { path }: Received) => {
    requests.push(path);
    if (here.answer?.(path, response)) return;
    const documents: Readonly<Record<string, object>> = {
      '/.well-known/openid-configuration': { issuer: here.issuer, jwks_uri: `${here.issuer}/jwks` },
      '/jwks': { keys: here.keys },
    };
    const body = documents[path];
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
  }, options);
  const here: CiIssuer = {
    issuer: new URL(url).origin,
    keys: [key.jwk],
    answer: undefined,
    requests,
    sign: (claims, { key: signer = key, header = {} } = {}) => signClaims(claims, signer, header),
  };
  return here;
}
