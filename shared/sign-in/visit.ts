/** Finds out who requests a page, and which organization and project the URL names. */
import { isDeepStrictEqual } from 'node:util';
import { makeSignedInPerson, type Person } from '#shared/access/actor.ts';
import { may } from '#shared/access/may.ts';
import { type ApiError, notFound } from '#shared/engine/errors.ts';
import { type Lookup, type LookupResult, makeLookup } from '#shared/engine/table/found.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import { adminNews } from '#shared/model/organizations/admin-news.ts';
import { type Membership, memberships, type Role } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { type ProjectRecord, projects } from '#shared/model/organizations/project.ts';
import type { Session } from '#shared/model/sign-in/session.ts';
import { organizationDeactivated } from '#shared/organizations/errors.ts';
import { countUnseen, type NewsCount, NO_NEWS } from '#shared/organizations/news.ts';
import { findSessionRefusal } from '#shared/organizations/session-rule.ts';
import { getSharingSettings } from '#shared/organizations/sharing-settings.ts';
import type { Services, WithClock } from '#shared/services.ts';
import { listUsageWarnings, makeWarningLookups, type UsageWarning } from '#shared/usage/warnings.ts';
import type { SentCookies, Theme } from './cookies.ts';
import { type DependentSession, deriveGrounds } from './session-grounds.ts';
import { parseHint } from './session-hint.ts';
import { findSessionLookup, isIdle } from './sessions.ts';

/** The request of somebody who is not signed in. */
export interface Visit {
  /** The base path of all links: empty if the service has a domain of its own. */
  readonly base: string;
  readonly theme: Theme;
}

export interface AccountVisit extends Visit {
  readonly session: Session;
  readonly account: Account;
  /** The signed-in person as an actor, with their role in the organization that the URL names, if it names one. */
  readonly person: Person;
}

export interface OrganizationVisit extends AccountVisit {
  readonly organizationId: string;
  readonly organizationName: string;
  /** Whether the organization lets AI tools read its failures. */
  readonly aiMayRead: boolean;
  /** What the organization has nearly used up. Known only on pages of the organization itself, not of its projects. */
  readonly usageWarnings: readonly UsageWarning[];
  /** What is new for an Admin. Known only on pages of the organization itself, and nothing for other roles. */
  readonly news: NewsCount;
  readonly person: Person & { readonly role: Role };
}

export interface ProjectVisit extends OrganizationVisit {
  readonly projectId: string;
  readonly project: ProjectRecord;
}

/** For the part of a page that a browser polls. The request for the whole page has already checked everything. */
export interface PolledVisit extends Visit {
  readonly session: Session;
  readonly person: Person & { readonly role: Role };
  readonly organizationId: string;
  readonly projectId: string;
}

export type AnyVisit = AccountVisit | OrganizationVisit | ProjectVisit;

interface Places {
  readonly organizationId?: string | undefined;
  readonly projectId?: string | undefined;
}

/**
 * What is known about a visitor with a session. `visit` is absent if the account or session has ended. `refusal` is the
 * error if the person may not see the organization or project of the URL.
 */
export interface KnownVisit {
  readonly visit: AnyVisit | undefined;
  readonly refusal?: ApiError;
}

/** The cookie of a session. */
type SessionCookie = Pick<SentCookies, 'session' | 'hint'>;

/** The rows of a visit: what its session depends on, and the places that the URL names. */
function listLookups(session: DependentSession, { organizationId, projectId }: Places, now: number) {
  const grounds = deriveGrounds(session);
  const key = { organizationId: organizationId ?? '-', accountId: session.accountId };
  const membership = makeLookup(memberships, key);
  const organization = makeLookup(organizations, key);
  const project = makeLookup(projects, { ...key, projectId: projectId ?? '-' });
  const news = makeLookup(adminNews, key);
  const showsWarnings = organizationId !== undefined && projectId === undefined;
  const all: Lookup<unknown>[] = [...grounds.lookups];
  if (organizationId !== undefined) all.push(membership, organization);
  if (projectId !== undefined) all.push(project);
  if (showsWarnings) all.push(...makeWarningLookups(key, now), news);
  return { all, grounds, membership, organization, project, news, showsWarnings };
}

interface VisitRows {
  readonly session: Session;
  readonly rows: LookupResult;
}

/**
 * Reads the session with what it depends on, in one round trip if the hint is right, else in two. `beside` are rows that
 * the page needs, too. It must use nothing of them unless the visit is allowed. `undefined` if the session has ended.
 */
export async function readVisitRows(
  { table, now }: WithClock,
  cookie: SessionCookie,
  places: Places,
  beside: readonly Lookup<unknown>[],
): Promise<VisitRows | undefined> {
  const sessionLookup = findSessionLookup(cookie.session);
  if (!sessionLookup) return undefined;
  const hintedSession = parseHint(cookie.hint, places.organizationId);
  const guessedLookups = hintedSession ? [...listLookups(hintedSession, places, now()).all, ...beside] : [];
  const guessedRows = await table.getTogether([sessionLookup, ...guessedLookups], { consistent: true });
  const session = guessedRows.of(sessionLookup);
  if (!session || isIdle(session, now())) return undefined;
  const lookups = [...listLookups(session, places, now()).all, ...beside];
  const isGuessed = lookups.every(({ key }) => guessedLookups.some((guess) => isDeepStrictEqual(guess.key, key)));
  return { session, rows: isGuessed ? guessedRows : await table.getTogether(lookups, { consistent: true }) };
}

/** The 404 is the same for places that do not exist and for those the person may not see. */
export function judgeVisit(
  { now, defaultLimits, signInProviders }: Pick<Services, 'now' | 'defaultLimits' | 'signInProviders'>,
  start: Visit & { readonly session: Session },
  { organizationId, projectId }: Places,
  rows: LookupResult,
): KnownVisit {
  const { grounds, showsWarnings, ...lookups } = listLookups(start.session, { organizationId, projectId }, now());
  const account = grounds.accountIn(rows);
  const { provider } = start.session;
  // The operator has removed the provider, or replaced it by another one.
  const isProviderGone = provider !== undefined && !signInProviders.some(({ issuer }) => issuer === provider.issuer);
  if (!account || isProviderGone) return { visit: undefined };
  const visit = { ...start, account, person: makeSignedInPerson(start.session) };
  if (organizationId === undefined) return { visit };
  const membership = rows.of(lookups.membership);
  const organization = rows.of(lookups.organization);
  if (!membership || !organization) return { visit, refusal: notFound('Page') };
  const sessionRefusal = findSessionRefusal(visit.person, organization);
  if (sessionRefusal) return { visit, refusal: sessionRefusal.statusCode === 404 ? notFound('Page') : sessionRefusal };
  if (organization.deactivatedAt !== undefined) return { visit, refusal: organizationDeactivated() };
  const { role } = membership;
  const { aiMayRead } = getSharingSettings(organization);
  const time = { now: now(), byDefault: defaultLimits };
  const news = showsWarnings ? rows.of(lookups.news) : undefined;
  const organizationFields = {
    organizationId,
    organizationName: organization.name,
    aiMayRead,
    usageWarnings: showsWarnings ? listUsageWarnings(organization, rows, time) : [],
    news: news && may({ ...visit.person, role }, 'audit:read') ? countUnseen(news, account.accountId) : NO_NEWS,
  };
  const inside = { ...visit, ...organizationFields, person: { ...visit.person, role } };
  if (projectId === undefined) return { visit: inside };
  const project = rows.of(lookups.project);
  return project ? { visit: { ...inside, projectId, project } } : { visit: inside, refusal: notFound('Page') };
}

interface PolledRows {
  readonly session: Session;
  /** Of the organization that the URL names. */
  readonly membership: Membership | undefined;
}

/** Reads only the session and the membership, eventually consistently. `undefined` if the session has ended. */
export async function readPolledRows(
  { table, now }: WithClock,
  cookie: SessionCookie,
  { organizationId = '-' }: Places,
): Promise<PolledRows | undefined> {
  const sessionLookup = findSessionLookup(cookie.session);
  if (!sessionLookup) return undefined;
  const hintedSession = parseHint(cookie.hint);
  const guess = hintedSession && makeLookup(memberships, { organizationId, accountId: hintedSession.accountId });
  const rows = await table.getTogether([sessionLookup, ...(guess ? [guess] : [])]);
  const session = rows.of(sessionLookup);
  if (!session || isIdle(session, now())) return undefined;
  const { accountId } = session;
  const isGuessed = guess !== undefined && hintedSession?.accountId === accountId;
  const membership = isGuessed ? rows.of(guess) : await table.get(memberships, { organizationId, accountId });
  return { session, membership };
}

/**
 * Throws 404 if there is no membership. Account, organization and project are checked only when the time of the last
 * request is recorded (see `isRecordDue`). The page must check that the requested part belongs to the project.
 */
export function admitPoll(
  start: Visit,
  { session, membership }: PolledRows,
  { organizationId = '-', projectId = '-' }: Places,
): PolledVisit {
  const { company } = session;
  if (!membership || (company && company.organizationId !== organizationId)) throw notFound('Page');
  const person = { ...makeSignedInPerson(session), role: membership.role };
  return { ...start, session, person, organizationId, projectId };
}
