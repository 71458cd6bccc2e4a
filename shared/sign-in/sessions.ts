/** Sessions of people in browsers. The cookie contains a secret, and the table contains only the hash of the secret. */
import { type Actor, makePerson } from '#shared/access/actor.ts';
import { createSecret, hashToken, isSecret } from '#shared/access/token.ts';
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { type Lookup, makeLookup } from '#shared/engine/table/found.ts';
import { readListedItems } from '#shared/engine/table/listed.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { ABSENT, type Check, PRESENT, put, remove, removeWhen, type Write } from '#shared/engine/table/writes.ts';
import { getSessionsSpan, type Session, sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { change } from '#shared/organizations/change.ts';
import { makeAccountRecords } from '#shared/organizations/records-of-account.ts';
import type { CoreServices, WithClock } from '#shared/services.ts';
import { deriveBrowserName } from './browser-name.ts';
import { sessionEnded } from './errors.ts';
import { SIGN_IN_LIMITS } from './limits.ts';
import { deriveGrounds } from './session-grounds.ts';

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
  /** The session that this browser already has. Signing in ends it, so that a stolen cookie becomes useless. */
  readonly earlier: Session | undefined;
}

/** The account, and how its person has proven who they are. */
type SessionHolder = Pick<Session, 'accountId' | 'method' | 'passkey' | 'company' | 'provider'> &
  Partial<Pick<Session, 'authenticatedAt'>>;

/** The caller must combine the writes with a condition that proves who the person is. */
export function makeSession(
  { now, randomId }: Pick<CoreServices, 'now' | 'randomId'>,
  { browser, earlier, ...holder }: SignInBrowser & SessionHolder,
): NewSession {
  const secret = createSecret(SECRET_PREFIX);
  const at = now();
  const session: Session = {
    hash: hashToken(secret),
    sessionId: randomId(SESSION_ID_CHARACTERS),
    authenticatedAt: at,
    ...holder,
    createdAt: at,
    lastSeenAt: at,
    browser: browser.slice(0, SIGN_IN_LIMITS.browserCharacters).toWellFormed(),
    expiresAt: Math.floor((at + SIGN_IN_LIMITS.sessionMilliseconds) / 1000),
  };
  const removals = earlier ? [remove(sessions, earlier), remove(sessionsOfAccount, earlier)] : [];
  return { session, secret, writes: [put(sessions, session), put(sessionsOfAccount, session), ...removals] };
}

/** Throws 409 if the session has ended, because a retry could not succeed. */
export async function renewSession(
  { table }: WithTable,
  session: Session,
  { authenticatedAt = session.authenticatedAt }: Partial<Pick<Session, 'authenticatedAt'>> = {},
): Promise<NewSession & { readonly checks: readonly Check[] }> {
  const sessionLookup = makeLookup(sessions, session);
  const grounds = deriveGrounds(session);
  const rows = await table.getTogether([sessionLookup, ...grounds.lookups], { consistent: true });
  if (!rows.of(sessionLookup) || !grounds.accountIn(rows)) throw sessionEnded();
  const secret = createSecret(SECRET_PREFIX);
  const renewedSession = { ...session, hash: hashToken(secret), authenticatedAt };
  const isListed = { path: 'hash', equals: session.hash };
  return {
    session: renewedSession,
    secret,
    writes: [
      removeWhen(sessions, session, PRESENT),
      put(sessions, renewedSession, ABSENT),
      put(sessionsOfAccount, renewedSession, isListed),
    ],
    checks: grounds.checks,
  };
}

export const isFresh = (
  { authenticatedAt }: Pick<Session, 'authenticatedAt'>,
  now: number,
  milliseconds: number = SIGN_IN_LIMITS.freshMilliseconds,
): boolean => now - authenticatedAt <= milliseconds;

export const isFreshForForm = (session: Pick<Session, 'authenticatedAt'>, now: number): boolean =>
  isFresh(session, now, SIGN_IN_LIMITS.freshPageMilliseconds);

/** Whether the session has ended because it was not used for too long. Its row remains until it expires. */
export const isIdle = ({ lastSeenAt }: Pick<Session, 'lastSeenAt'>, now: number): boolean =>
  now - lastSeenAt > SIGN_IN_LIMITS.idleMilliseconds;

/** `undefined` if the text is no secret of a session. */
export const findSessionLookup = (secret: string | undefined): Lookup<Session> | undefined =>
  secret !== undefined && isSecret(SECRET_PREFIX, secret)
    ? makeLookup(sessions, { hash: hashToken(secret) })
    : undefined;

export async function readSession({ table, now }: WithClock, secret: string | undefined): Promise<Session | undefined> {
  const lookup = findSessionLookup(secret);
  const session = lookup && (await table.getTogether([lookup], { consistent: true })).of(lookup);
  return session && !isIdle(session, now()) ? session : undefined;
}

export const isRecordDue = ({ lastSeenAt }: Pick<Session, 'lastSeenAt'>, now: number): boolean =>
  now - lastSeenAt >= SIGN_IN_LIMITS.lastSeenMilliseconds;

/** Writes at most once every ten minutes, and never restores a session that has ended in the meantime. */
export async function recordRequest({ table, now }: WithClock, session: Session): Promise<void> {
  if (isRecordDue(session, now())) await table.update(sessions, session, { set: [['lastSeenAt', now()]] }, PRESENT);
}

/** Whether the person in session `own` may see and end the session `other` of the same account. */
export const isVisibleIn = (own: Pick<Session, 'company'>, other: Pick<Session, 'company'>): boolean =>
  own.company === undefined || other.company?.organizationId === own.company.organizationId;

/** The stored sessions of the account, oldest first. Some of them may have ended because they were idle. */
export const listSessions = ({ table }: WithTable, account: Pick<Session, 'accountId'>): Promise<Session[]> =>
  readListedItems(table, sessionsOfAccount, getSessionsSpan(account), sessions);

/** Works even if a secret is renewed at the same time. Each organization gets an audit record for each session. */
export async function endSessions(
  services: CoreServices,
  account: Pick<Session, 'accountId'>,
  isEnded: (session: Session) => boolean,
  actor: Actor = makePerson(account),
): Promise<void> {
  const endedSessions = (await listSessions(services, account)).filter(isEnded);
  await Promise.all(endedSessions.map((session) => endSession(services, actor, session)));
}

const endSession = (services: CoreServices, actor: Actor, session: Session): Promise<void> =>
  change(services, { actor, action: 'accounts:endSession' }, async () => {
    const listedSession = await services.table.get(sessionsOfAccount, session, { consistent: true });
    if (!listedSession) return { result: undefined };
    const { browser, method, createdAt } = session;
    const name = takeFirstCharacters(
      makeVisibleLine(deriveBrowserName(browser)),
      SIGN_IN_LIMITS.auditedBrowserCharacters,
    );
    const detail = `${name}, signed in by ${method} at ${new Date(createdAt).toISOString()}`;
    return {
      result: undefined,
      writes: [
        remove(sessions, listedSession),
        removeWhen(sessionsOfAccount, session, { path: 'hash', equals: listedSession.hash }),
      ],
      record: await makeAccountRecords(services, session, { action: 'session ended', detail }),
    };
  });
