/**
 * §5.3 OAuth 2.0 access tokens, JWTs as in RFC 9068. They name an organization (`org_id`) and its member (`sub`); what
 * the member may do is read anew on every request, like the standing of every other credential.
 */
import { type JWTPayload, jwtVerify } from 'jose';
import { LIMITS } from '../limits.ts';
import { type IssuerKeys, keysOf } from './issuer.ts';

export interface AccessToken {
  readonly tokenId: string;
  readonly clientId: string;
  readonly organizationId: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
  /** Milliseconds, of a whole second. */
  readonly issuedAt: number;
}

export interface Issuer {
  readonly issuer: string;
  /** The API's own origin, and nothing else: a token for another resource is refused. */
  readonly audience: string;
}

/** Asymmetric only: with a shared secret, who can verify could also issue. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Keeps the issuer's keys: one per container. */
export class AccessTokens {
  readonly #of: Issuer;
  #keys: Promise<IssuerKeys> | undefined;

  constructor(of: Issuer) {
    this.#of = of;
  }

  /** `undefined` for a token that is none, or not for here; throws when the issuer cannot be asked. */
  async verify(value: string, now: number): Promise<AccessToken | undefined> {
    try {
      this.#keys ??= keysOf(this.#of.issuer);
      const { payload } = await jwtVerify(value, await this.#keys, {
        issuer: this.#of.issuer,
        audience: this.#of.audience,
        typ: 'at+jwt',
        algorithms: ALGORITHMS,
        requiredClaims: ['exp'],
        maxTokenAge: LIMITS.accessTokenSeconds,
        clockTolerance: LIMITS.clockToleranceSeconds,
        currentDate: new Date(now),
      });
      return this.#accessTokenIn(payload);
    } catch (error) {
      if (isRefusal(error)) return undefined;
      await this.#forgetStaleKeys();
      throw error;
    }
  }

  /** To be asked for anew, from the metadata on. Fresh ones stay: a token of an unknown key must not cost others theirs. */
  async #forgetStaleKeys(): Promise<void> {
    const keys = await this.#keys?.catch(() => undefined);
    if (!keys?.fresh) this.#keys = undefined;
  }

  #accessTokenIn({ aud, iat, jti, sub, client_id, org_id, scope }: JWTPayload): AccessToken | undefined {
    // A token that is also for others could be passed on by them.
    if ([aud].flat().length !== 1) return undefined;
    if (typeof client_id !== 'string' || typeof org_id !== 'string' || typeof scope !== 'string') return undefined;
    if (sub === undefined || jti === undefined || iat === undefined) return undefined;
    return {
      tokenId: jti,
      clientId: client_id,
      organizationId: org_id,
      accountId: sub,
      scopes: scope.split(' '),
      issuedAt: iat * 1000,
    };
  }
}

/** Codes of `jose` for what is wrong with the issuer. Its others are for what is wrong with a token. */
const FAULTS: readonly unknown[] = ['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT'];
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_J') && !FAULTS.includes(error.code);

/** Three parts of base64url, the first an object: told apart before anybody is asked. */
export const isAccessToken = (value: string): boolean => /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(value);
