/** The identity tokens of GitHub Actions and GitLab CI, from an issuer on this machine that a test can make misbehave. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { type Received, receiver } from './receiver.ts';

export type SigningKey = Awaited<ReturnType<typeof makeSigningKey>>;

export async function makeSigningKey(alg = 'RS256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const kid = randomUUID();
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

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
    sign: (claims, { key: signer = key, header = {} } = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: signer.alg, kid: signer.kid, typ: 'JWT', ...header })
        .sign(signer.privateKey),
  };
  return here;
}

const SHA = 'd9b1a1c2e3f4051627384950a1b2c3d4e5f60718';

/** The claims of a push to `main` of `acme/shop` in GitHub Actions. */
export const githubClaims = ({ issuer, audience }: { issuer: string; audience: string }, more: object = {}) => {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: issuer,
    aud: audience,
    iat: now,
    nbf: now - 600,
    exp: now + 300,
    jti: randomUUID(),
    sub: 'repo:acme/shop:ref:refs/heads/main',
    repository: 'acme/shop',
    repository_id: '4711',
    repository_owner: 'acme',
    repository_owner_id: '12',
    run_id: '9001',
    run_attempt: '1',
    run_number: '7',
    ref: 'refs/heads/main',
    ref_type: 'branch',
    sha: SHA,
    event_name: 'push',
    head_ref: '',
    base_ref: '',
    actor: 'kim',
    job_workflow_ref: 'acme/shop/.github/workflows/ci.yml@refs/heads/main',
    ...more,
  };
};

/** The claims of a pipeline for `main` of `acme/web/shop` in GitLab CI. */
export const gitlabClaims = ({ issuer, audience }: { issuer: string; audience: string }, more: object = {}) => {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: issuer,
    aud: audience,
    iat: now,
    nbf: now - 5,
    exp: now + 3600,
    jti: randomUUID(),
    sub: 'project_path:acme/web/shop:ref_type:branch:ref:main',
    project_path: 'acme/web/shop',
    project_id: '815',
    namespace_id: '33',
    namespace_path: 'acme/web',
    pipeline_id: '555',
    job_id: '70',
    ref: 'main',
    ref_type: 'branch',
    ref_path: 'refs/heads/main',
    ref_protected: 'true',
    sha: SHA,
    pipeline_source: 'push',
    user_login: 'kim',
    ...more,
  };
};
