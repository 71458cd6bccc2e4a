/** A person's session in a browser. Access patterns: by the hash of its secret; all sessions of an account. */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, instantKey, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, pick, stored } from '#shared/engine/table/stored.ts';

/** How the person proved who they are. */
type SignInMethod = 'link' | 'invitation' | 'passkey';

export interface Session {
  /** SHA-256 of the secret, in hex. */
  readonly hash: string;
  readonly sessionId: string;
  readonly accountId: string;
  readonly method: SignInMethod;
  /**
   * The hash of the passkey with which the person signed in. Absent if the person signed in another way. Removing the
   * passkey ends the session.
   */
  readonly passkey?: string;
  /** Time of the sign-in, in epoch milliseconds. */
  readonly createdAt: number;
  /** When the person last proved who they are, in epoch milliseconds. */
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
  patterns: [{ question: 'The session with this secret', key: 'pk = SESSION#sha256(secret), sk = SESSION' }],
  key: ({ hash }) => ({ pk: composed('SESSION', hash), sk: 'SESSION' }),
  store: attributesOf,
  load: stored,
};

type Listed = Pick<Session, 'accountId' | 'sessionId' | 'createdAt' | 'hash' | 'expiresAt'>;

/** An entry in the list of an account's sessions. The session itself is stored once, under the hash of its secret. */
export const sessionsOfAccount: Entity<Listed, Listed> = {
  type: 'session, listed',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'Sessions of an account', key: 'pk = SESSIONS#account, sk = SESSION#createdAt#session' }],
  key: ({ accountId, sessionId, createdAt }) => ({
    pk: composed('SESSIONS', accountId),
    sk: composed('SESSION', instantKey(createdAt), sessionId),
  }),
  store: pick('accountId', 'sessionId', 'createdAt', 'hash', 'expiresAt'),
  load: stored,
};

export const sessionsSpan = ({ accountId }: Pick<Session, 'accountId'>) =>
  beginningWith(composed('SESSIONS', accountId), prefix('SESSION'));
