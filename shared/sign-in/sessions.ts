/** Sessions of people in browsers. The cookie contains a secret, and the table contains only the hash of the secret. */
import { type Actor, makePerson } from '#shared/access/actor.ts';
import { createSecret, hashToken, isSecret } from '#shared/access/token.ts';
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import { readListedItems } from '#shared/engine/table/listed.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { ABSENT, type Check, PRESENT, put, remove, removeWhen, type Write } from '#shared/engine/table/writes.ts';
import { getSessionsSpan, type Session, sessions, sessionsOfAccount } from '#shared/model/organizations/session.ts';
import { change } from '#shared/organizations/change.ts';
import { makeAccountRecords } from '#shared/organizations/records-of-account.ts';
import type { CoreServices, WithClock } from '#shared/services.ts';
import { browserName } from './browser-name.ts';
import { sessionEnded } from './errors.ts';
import { SIGN_IN_LIMITS } from './limits.ts';
import { groundsOf } from './session-grounds.ts';

const SECRET_PREFIX = 'rdn_ses';
const SESSION_ID_CHARACTERS = 16;

export interface NewSession {
  readonly session: Session;
  /** The secret of the session, for the cookie. */
  readonly secret: string;
  readonly writes: readonly Write[];
}

export interface SignInBrowser {
  /** The `User-Agent` header. */
  readonly browser: string;
  /**
   * The session that this browser already has. Signing in ends this session, so that a stolen cookie becomes useless.
   */
  readonly earlier: Session | undefined;
}

/**
 * Creates a session and the writes that store it. The caller must combine these writes with a condition that proves who
 * the person is.
 */
export function newSession(
  { now, randomId }: Pick<CoreServices, 'now' | 'randomId'>,
  { browser, earlier, ...holder }: SignInBrowser & Pick<Session, 'accountId' | 'method' | 'passkey'>,
): NewSession {
  const secret = createSecret(SECRET_PREFIX);
  const at = now();
  const session: Session = {
    hash: hashToken(secret),
    sessionId: randomId(SESSION_ID_CHARACTERS),
    ...holder,
    createdAt: at,
    authenticatedAt: at,
    lastSeenAt: at,
    browser: browser.slice(0, SIGN_IN_LIMITS.browserCharacters).toWellFormed(),
    expiresAt: Math.floor((at + SIGN_IN_LIMITS.sessionMilliseconds) / 1000),
  };
  const ended = earlier ? [remove(sessions, earlier), remove(sessionsOfAccount, earlier)] : [];
  return { session, secret, writes: [put(sessions, session), put(sessionsOfAccount, session), ...ended] };
}

/**
 * Gives a session a new secret, and the time of a new authentication if there was one. Throws 409 if the session has
 * ended, because a retry could not succeed.
 */
export async function renewedSession(
  { table }: WithTable,
  session: Session,
  { authenticatedAt = session.authenticatedAt }: Partial<Pick<Session, 'authenticatedAt'>> = {},
): Promise<NewSession & { readonly checks: readonly Check[] }> {
  const own = makeLookup(sessions, session);
  const grounds = groundsOf(session);
  const found = await table.getTogether([own, ...grounds.lookups], { consistent: true });
  if (!found.of(own) || !grounds.accountIn(found)) throw sessionEnded();
  const secret = createSecret(SECRET_PREFIX);
  const renewed = { ...session, hash: hashToken(secret), authenticatedAt };
  const isListed = { path: 'hash', equals: session.hash };
  return {
    session: renewed,
    secret,
    writes: [
      removeWhen(sessions, session, PRESENT),
      put(sessions, renewed, ABSENT),
      put(sessionsOfAccount, renewed, isListed),
    ],
    checks: grounds.checks,
  };
}

/** Whether the person authenticated within the last `milliseconds`. */
export const isFresh = (
  { authenticatedAt }: Pick<Session, 'authenticatedAt'>,
  now: number,
  milliseconds: number = SIGN_IN_LIMITS.freshMilliseconds,
): boolean => now - authenticatedAt <= milliseconds;

/** Whether the person authenticated recently enough to begin to fill in a form that needs a recent sign-in. */
export const isFreshForForm = (session: Pick<Session, 'authenticatedAt'>, now: number): boolean =>
  isFresh(session, now, SIGN_IN_LIMITS.freshPageMilliseconds);

/** Whether the session has ended because it was not used for too long. Its row remains until it expires. */
export const isIdle = ({ lastSeenAt }: Pick<Session, 'lastSeenAt'>, now: number): boolean =>
  now - lastSeenAt > SIGN_IN_LIMITS.idleMilliseconds;

/** Returns the session of a cookie value, or `undefined` if there is no valid one. */
export async function readSession(
  { table, now }: WithClock,
  secret: string | undefined,
  { consistent }: { readonly consistent: boolean },
): Promise<Session | undefined> {
  if (secret === undefined || !isSecret(SECRET_PREFIX, secret)) return undefined;
  const session = await table.get(sessions, { hash: hashToken(secret) }, { consistent });
  return session && !isIdle(session, now()) ? session : undefined;
}

/** Whether the last recorded request is at least ten minutes old. */
export const isRecordDue = ({ lastSeenAt }: Pick<Session, 'lastSeenAt'>, now: number): boolean =>
  now - lastSeenAt >= SIGN_IN_LIMITS.lastSeenMilliseconds;

/**
 * Records the time of the request, at most once every ten minutes. The write is conditional, so that it never restores
 * a session that has ended in the meantime.
 */
export async function recordRequest({ table, now }: WithClock, session: Session): Promise<void> {
  if (isRecordDue(session, now())) await table.update(sessions, session, { set: [['lastSeenAt', now()]] }, PRESENT);
}

/** The stored sessions of the account, oldest first. Some of them may have ended because they were idle. */
export const listSessions = ({ table }: WithTable, account: Pick<Session, 'accountId'>): Promise<Session[]> =>
  readListedItems(table, sessionsOfAccount, getSessionsSpan(account), sessions);

/**
 * Ends the sessions that `isEnded` selects, even if the secret of a session is renewed at the same time. Each
 * organization of the person gets an audit record for each ended session.
 */
export async function endSessions(
  services: CoreServices,
  account: Pick<Session, 'accountId'>,
  isEnded: (session: Session) => boolean,
  actor: Actor = makePerson(account),
): Promise<void> {
  const ended = (await listSessions(services, account)).filter(isEnded);
  await Promise.all(ended.map((session) => endSession(services, actor, session)));
}

const endSession = (services: CoreServices, actor: Actor, session: Session): Promise<void> =>
  change(services, { actor, action: 'accounts:endSession' }, async () => {
    const listed = await services.table.get(sessionsOfAccount, session, { consistent: true });
    if (!listed) return { result: undefined };
    const { browser, method, createdAt } = session;
    const name = takeFirstCharacters(makeVisibleLine(browserName(browser)), SIGN_IN_LIMITS.auditedBrowserCharacters);
    const detail = `${name}, signed in by ${method} at ${new Date(createdAt).toISOString()}`;
    return {
      result: undefined,
      writes: [remove(sessions, listed), removeWhen(sessionsOfAccount, session, { path: 'hash', equals: listed.hash })],
      record: await makeAccountRecords(services, session, { action: 'session ended', detail }),
    };
  });
