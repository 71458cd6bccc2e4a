/**
 * Reads the public keys of the issuers of identity tokens (OpenID Connect Discovery) and caches them. Every request goes
 * through the guarded connection (§6, SSRF), and none follows a redirect. The headers of a token, such as `jku`, never
 * say where keys are.
 */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { parseAnswerJson } from '#shared/sending/answer.ts';
import { type Network, sendRequest } from '#shared/sending/exchange.ts';
import { findUrlProblem } from '#shared/sending/url-rules.ts';
import { TRUSTED_CI_LIMITS } from './limits.ts';

/** The keys cannot be read. The token may be valid. */
export class SilentIssuer extends Error {
  override name = 'SilentIssuer';
}

type Clock = { readonly now: () => number };
type KeySet = ReturnType<typeof createLocalJWKSet>;

interface CachedKeys {
  readonly readAt: number;
  /** Rejected if the issuer failed. */
  readonly keys: Promise<KeySet>;
}

/** Each Lambda container has one instance. */
export class IssuerKeys {
  readonly #cache = new Map<string, CachedKeys>();

  /** A key that is not among the cached ones may be new, so the keys are read again, but seldom. */
  of(issuer: string, services: Network & Clock): JWTVerifyGetKey {
    return async (header, token) => {
      const entry = this.#recall(issuer, services) ?? this.#read(issuer, services);
      const keys = await entry.keys;
      try {
        return await keys(header, token);
      } catch (error) {
        const isUnknown = error instanceof errors.JWKSNoMatchingKey;
        if (!isUnknown || services.now() - entry.readAt < TRUSTED_CI_LIMITS.pauseMilliseconds) throw error;
      }
      const newKeys = await this.#read(issuer, services).keys;
      return newKeys(header, token);
    };
  }

  #recall(issuer: string, { now }: Clock): CachedKeys | undefined {
    const entry = this.#cache.get(issuer);
    return entry && now() - entry.readAt < TRUSTED_CI_LIMITS.keysMilliseconds ? entry : undefined;
  }

  #read(issuer: string, services: Network & Clock): CachedKeys {
    if (this.#cache.size >= TRUSTED_CI_LIMITS.cachedIssuers) this.#cache.clear();
    const keys = readKeys(issuer, services);
    const entry = { readAt: services.now(), keys };
    this.#cache.set(issuer, entry);
    keys.catch(() => this.#forgetSoon(issuer, entry));
    return entry;
  }

  /** A failure is remembered for the pause, so that an issuer that does not answer is not asked for each token. */
  #forgetSoon(issuer: string, entry: CachedKeys): void {
    if (this.#cache.get(issuer) !== entry) return;
    const { keysMilliseconds, pauseMilliseconds } = TRUSTED_CI_LIMITS;
    this.#cache.set(issuer, { ...entry, readAt: entry.readAt - keysMilliseconds + pauseMilliseconds });
  }
}

async function readKeys(issuer: string, network: Network): Promise<KeySet> {
  const configuration = await readDocument(`${issuer}/.well-known/openid-configuration`, network);
  if (!isObject(configuration) || configuration['issuer'] !== issuer)
    throw new SilentIssuer('Its configuration is that of another issuer');
  const address = configuration['jwks_uri'];
  if (typeof address !== 'string') throw new SilentIssuer('Its configuration names no keys');
  const keys = await readDocument(address, network);
  if (!isKeySet(keys)) throw new SilentIssuer('Its keys are not a JSON Web Key Set');
  return createLocalJWKSet(keys);
}

const isKeySet = (value: unknown): value is JSONWebKeySet =>
  isObject(value) && Array.isArray(value['keys']) && value['keys'].every(isObject);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const OK = 200;

async function readDocument(address: string, network: Network): Promise<unknown> {
  const problem = findUrlProblem(address, network);
  if (problem !== undefined) throw new SilentIssuer(problem);
  const { answerBytes: bytes } = TRUSTED_CI_LIMITS;
  const answer = await sendRequest(
    {
      method: 'GET',
      url: new URL(address),
      headers: { Accept: 'application/json' },
      body: '',
      answerBytes: { read: bytes, kept: bytes },
    },
    network,
  );
  if (answer.statusCode !== OK || answer.error !== null)
    throw new SilentIssuer(answer.error ?? `It answered ${answer.statusCode}`);
  return parseAnswerJson(answer);
}
