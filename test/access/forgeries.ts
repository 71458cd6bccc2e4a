/** Forged and invalid access tokens. Unless its name says otherwise, a token is for an Admin of the organization. */
import { createHmac } from 'node:crypto';
import { exportSPKI, importJWK, type JWTPayload } from 'jose';
import { claimsOf, type SigningKey, signed, signingKey } from '#test/harness/issuer.ts';
import { clock, type Tenant, type TestService } from '#test/harness/service.ts';
import { anotherAdmin } from './another-admin.ts';

type Stage = TestService & Tenant;

export interface Forgery {
  readonly name: string;
  readonly make: (stage: Stage) => Promise<string>;
}

const DAY_MILLISECONDS = 86_400_000;
const SCOPES = 'projects:read results:read runs:write';

interface Setting extends Stage {
  readonly accountId: string;
  readonly good: JWTPayload;
}

async function setting(stage: Stage): Promise<Setting> {
  const { accountId } = await anotherAdmin(stage);
  // The clock advances, so that no forgery is refused for being older than the membership.
  clock.advance(DAY_MILLISECONDS);
  return { ...stage, accountId, good: claimsOf(stage.issuer, stage, accountId, { scope: SCOPES }) };
}

const forged = (name: string, make: (setting: Setting) => Promise<string> | string): Forgery => ({
  name: `an access token ${name}`,
  make: async (stage) => make(await setting(stage)),
});

/** A token that the issuer signed, but whose claims are wrong. */
const claiming = (name: string, claims: (setting: Setting) => Record<string, unknown>): Forgery =>
  forged(name, (of) => signed({ ...of.good, ...claims(of) }, of.issuer.key));

/** A token that the issuer signed, but whose header is wrong. */
const headed = (name: string, header: Readonly<Record<string, unknown>>): Forgery =>
  forged(name, ({ good, issuer }) => signed(good, issuer.key, header));

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const unsigned = (header: object, claims: JWTPayload): string => `${encode(header)}.${encode(claims)}`;

/** Algorithm confusion: a verifier that uses the public key as an HMAC secret accepts this token. */
async function confused({ good, issuer }: Setting): Promise<string> {
  const text = unsigned({ alg: 'HS256', typ: 'at+jwt', kid: issuer.key.kid }, good);
  const key = await importJWK({ ...issuer.key.publicJwk }, 'ES256', { extractable: true });
  if (key instanceof Uint8Array) throw new Error('The issuer must have an asymmetric key');
  const secret = await exportSPKI(key);
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

/** Signs a token with a key of the attacker. The header contains the verification key or a URL for it. */
async function bringingItsKey({ good }: Setting, header: (own: SigningKey) => object): Promise<string> {
  const own = await signingKey();
  return signed(good, own, { ...header(own) });
}

async function changedAfterSigning({ good, issuer }: Setting): Promise<string> {
  const [head, , signature] = (await signed(good, issuer.key)).split('.');
  return `${head}.${encode({ ...good, scope: 'projects:write' })}.${signature}`;
}

const seconds = (time: number): number => Math.floor(time / 1000);
const now = (): number => seconds(Date.now());

const SIGNATURES: readonly Forgery[] = [
  forged('without a signature', ({ good }) => `${unsigned({ alg: 'none', typ: 'at+jwt' }, good)}.`),
  forged('with the algorithm NONE in capitals', ({ good }) => `${unsigned({ alg: 'NONE', typ: 'at+jwt' }, good)}.`),
  forged(
    'whose signature was removed',
    ({ good, issuer }) => `${unsigned({ alg: 'ES256', typ: 'at+jwt', kid: issuer.key.kid }, good)}.`,
  ),
  forged('signed with the public key as a secret', confused),
  forged('signed by somebody else under the issuer’s key id', async ({ good, issuer }) =>
    signed(good, await signingKey(), { kid: issuer.key.kid }),
  ),
  forged('signed by somebody else', async ({ good }) => signed(good, await signingKey())),
  forged('that contains its own key', (of) =>
    bringingItsKey(of, ({ publicJwk }) => ({ jwk: publicJwk, kid: undefined })),
  ),
  forged('that names the URL of its key', (of) => bringingItsKey(of, () => ({ jku: `${of.issuer.issuer}/elsewhere` }))),
  forged('changed after it was signed', changedAfterSigning),
  forged('with the signature of another token', async ({ good, issuer }) => {
    const [head, claims] = (await signed(good, issuer.key)).split('.');
    const [, , signature] = (await signed({ ...good, jti: 'other' }, issuer.key)).split('.');
    return `${head}.${claims}.${signature}`;
  }),
  forged(
    'that is encrypted instead of signed',
    ({ good }) => `${encode({ alg: 'dir', enc: 'A256GCM' })}..${encode(good)}.AAAA.AAAA`,
  ),
];

const HEADERS: readonly Forgery[] = [
  headed('that is an ID token', { typ: 'JWT' }),
  headed('without a type', { typ: undefined }),
  headed('with a critical extension', { crit: ['urn:example'], 'urn:example': true }),
];

const CLAIMS: readonly Forgery[] = [
  claiming('of another issuer', () => ({ iss: 'https://auth.example.com' })),
  claiming('of an issuer whose URL has an extra suffix', ({ issuer }) => ({ iss: `${issuer.issuer}.example.com` })),
  claiming('without an issuer', () => ({ iss: undefined })),
  claiming('for the MCP resource', ({ origin }) => ({ aud: `${origin}/mcp` })),
  claiming('for the base URL', ({ origin }) => ({ aud: `${origin}/v1` })),
  claiming('for the origin with a slash', ({ origin }) => ({ aud: `${origin}/` })),
  claiming('for an origin with an extra suffix', ({ origin }) => ({ aud: `${origin}.example.com` })),
  claiming('for the API and the MCP resource', ({ origin }) => ({ aud: [origin, `${origin}/mcp`] })),
  claiming('without an audience', () => ({ aud: undefined })),
  claiming('with an empty list of audiences', () => ({ aud: [] })),
  claiming('that expired 61 seconds ago', () => ({ iat: now() - 3000, exp: now() - 61 })),
  claiming('that never expires', () => ({ exp: undefined })),
  claiming('whose expiry is a string', () => ({ exp: 'tomorrow' })),
  claiming('that becomes valid in 61 seconds', () => ({ nbf: now() + 61 })),
  claiming('whose time of issue is in 61 seconds', () => ({ iat: now() + 61, exp: now() + 3600 })),
  claiming('without a time of issue', () => ({ iat: undefined })),
  claiming('that is an hour and 61 seconds old, but expires only in a day', () => ({
    iat: now() - 3661,
    exp: now() + 86_400,
  })),
  claiming('without an organization', () => ({ org_id: undefined })),
  claiming('whose organization is a list', ({ organizationId }) => ({ org_id: [organizationId] })),
  claiming('without a member', () => ({ sub: undefined })),
  claiming('without a client', () => ({ client_id: undefined })),
  claiming('without an id', () => ({ jti: undefined })),
  claiming('whose scope is a list', () => ({ scope: SCOPES.split(' ') })),
  forged('of a member of another organization', async (of) => {
    const other = await of.tenant();
    return signed({ ...of.good, org_id: other.organizationId }, of.issuer.key);
  }),
  claiming('of an unknown account', () => ({ sub: 'nobody' })),
  claiming('of an unknown organization', () => ({ org_id: 'nowhere' })),
];

export const FORGERIES: readonly Forgery[] = [...SIGNATURES, ...HEADERS, ...CLAIMS];
