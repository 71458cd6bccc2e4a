/** A person's session in a browser. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick, toAttributes } from '#shared/engine/table/stored.ts';

export type SignInMethod = 'link' | 'invitation' | 'passkey' | 'company' | 'provider';

/** What a session of company sign-in depends on, and the only organization that it opens. */
export interface CompanySession {
  readonly organizationId: string;
  readonly providerId: string;
  /** See `CompanyIdentity`. */
  readonly identity: string;
}

/** What a session depends on that a provider of this deployment has started. */
interface ProviderSession {
  /** See `ProviderIdentity`. */
  readonly identity: string;
  readonly issuer: string;
  /** The name of the provider. */
  readonly name: string;
}

export interface Session {
  /** SHA-256 of the secret, in hex. */
  readonly hash: string;
  readonly sessionId: string;
  readonly accountId: string;
  readonly method: SignInMethod;
  /** The hash of the passkey that signed in. Absent for other ways. Removing the passkey ends the session. */
  readonly passkey?: string;
  /** Absent for other ways than company sign-in. */
  readonly company?: CompanySession;
  /** Absent for other ways than the providers of this deployment. */
  readonly provider?: ProviderSession;
  /** Time of the sign-in, in epoch milliseconds. */
  readonly createdAt: number;
  /**
   * When the person last proved who they are, in epoch milliseconds. 0 if a provider of this deployment signed them in,
   * which may have known them from days ago.
   */
  readonly authenticatedAt: number;
  /** Time of the last recorded request, in epoch milliseconds. Updated at most every ten minutes. */
  readonly lastSeenAt: number;
  /** The beginning of the `User-Agent` header. Shown only to the owner of the session. */
  readonly browser: string;
  /** TTL in epoch seconds, at the end of the session. */
  readonly expiresAt: number;
}

export const sessions: Entity<Pick<Session, 'hash'>, Session> = {
  type: 'session',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [{ question: 'The session with this secret', of: { hash: 'sha256(secret)' } }],
  key: ({ hash }) => ({ pk: composeKey('SESSION', hash), sk: 'SESSION' }),
  store: toAttributes,
  load: loadAttributes,
};

type SessionEntry = Pick<Session, 'accountId' | 'sessionId' | 'createdAt' | 'hash' | 'expiresAt'>;

/** The session itself is stored once, under the hash of its secret. */
export const sessionsOfAccount: Entity<SessionEntry, SessionEntry> = {
  type: 'session, listed',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'Sessions of an account' }],
  key: ({ accountId, sessionId, createdAt }) => ({
    pk: composeKey('SESSIONS', accountId),
    sk: composeKey('SESSION', encodeInstant(createdAt), sessionId),
  }),
  store: pick('accountId', 'sessionId', 'createdAt', 'hash', 'expiresAt'),
  load: loadAttributes,
};

export const getSessionsSpan = ({ accountId }: Pick<Session, 'accountId'>) =>
  getPrefixSpan(composeKey('SESSIONS', accountId), composePrefix('SESSION'));
