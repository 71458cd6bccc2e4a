/** The claims of the identity tokens of CI jobs, and keys that sign them. */
import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';

export type SigningKey = Awaited<ReturnType<typeof makeSigningKey>>;

export async function makeSigningKey(alg = 'RS256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const kid = randomUUID();
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export const signClaims = (
  claims: JWTPayload,
  { alg, kid, privateKey }: SigningKey,
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> => new SignJWT(claims).setProtectedHeader({ alg, kid, typ: 'JWT', ...header }).sign(privateKey);

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
