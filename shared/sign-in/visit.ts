/** Finds out who requests a page, and which organization and project the URL names. */
import { makeSignedInPerson, type Person } from '#shared/access/actor.ts';
import { may } from '#shared/access/may.ts';
import { type ApiError, notFound, refuse } from '#shared/engine/errors.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import { adminNews } from '#shared/model/organizations/admin-news.ts';
import { memberships, type Role } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { type ProjectRecord, projects } from '#shared/model/organizations/project.ts';
import type { Session } from '#shared/model/sign-in/session.ts';
import { organizationDeactivated } from '#shared/organizations/errors.ts';
import { countUnseen, type NewsCount, NO_NEWS } from '#shared/organizations/news.ts';
import { findSessionRefusal } from '#shared/organizations/session-rule.ts';
import { getSharingSettings } from '#shared/organizations/sharing-settings.ts';
import type { Services } from '#shared/services.ts';
import { listUsageWarnings, makeWarningLookups, type UsageWarning } from '#shared/usage/warnings.ts';
import type { Theme } from './cookies.ts';
import { deriveGrounds } from './session-grounds.ts';

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

/** Needs one round trip. The 404 is the same for places that do not exist and for those the person may not see. */
export async function readVisit(
  { table, now, defaultLimits, signInProviders }: Pick<Services, 'table' | 'now' | 'defaultLimits' | 'signInProviders'>,
  start: Visit & { readonly session: Session },
  { organizationId, projectId }: Places,
): Promise<KnownVisit> {
  const { accountId } = start.session;
  const grounds = deriveGrounds(start.session);
  const key = { organizationId: organizationId ?? '-', accountId };
  const membershipLookup = makeLookup(memberships, key);
  const organizationLookup = makeLookup(organizations, key);
  const projectLookup = makeLookup(projects, { ...key, projectId: projectId ?? '-' });
  const newsLookup = makeLookup(adminNews, key);
  const showsWarnings = organizationId !== undefined && projectId === undefined;
  const rows = await table.getTogether(
    [
      ...grounds.lookups,
      ...(organizationId === undefined ? [] : [membershipLookup, organizationLookup]),
      ...(projectId === undefined ? [] : [projectLookup]),
      ...(showsWarnings ? [...makeWarningLookups(key, now()), newsLookup] : []),
    ],
    { consistent: true },
  );
  const account = grounds.accountIn(rows);
  const { provider } = start.session;
  // The operator has removed the provider, or replaced it by another one.
  const isProviderGone = provider !== undefined && !signInProviders.some(({ issuer }) => issuer === provider.issuer);
  if (!account || isProviderGone) return { visit: undefined };
  const visit = { ...start, account, person: makeSignedInPerson(start.session) };
  if (organizationId === undefined) return { visit };
  const membership = rows.of(membershipLookup);
  const organization = rows.of(organizationLookup);
  if (!membership || !organization) return { visit, refusal: notFound('Page') };
  const sessionRefusal = findSessionRefusal(visit.person, organization);
  if (sessionRefusal) return { visit, refusal: sessionRefusal.statusCode === 404 ? notFound('Page') : sessionRefusal };
  if (organization.deactivatedAt !== undefined) return { visit, refusal: organizationDeactivated() };
  const { role } = membership;
  const { aiMayRead } = getSharingSettings(organization);
  const warnings = showsWarnings ? listUsageWarnings(organization, rows, { now: now(), byDefault: defaultLimits }) : [];
  const news = showsWarnings ? rows.of(newsLookup) : undefined;
  const organizationFields = {
    organizationId,
    organizationName: organization.name,
    aiMayRead,
    usageWarnings: warnings,
    news: news && may({ ...visit.person, role }, 'audit:read') ? countUnseen(news, accountId) : NO_NEWS,
  };
  const inside = { ...visit, ...organizationFields, person: { ...visit.person, role } };
  if (projectId === undefined) return { visit: inside };
  const project = rows.of(projectLookup);
  return project ? { visit: { ...inside, projectId, project } } : { visit: inside, refusal: notFound('Page') };
}

/**
 * Reads only the membership, and throws 404 if there is none. Account, organization and project are checked only when
 * the time of the last request is recorded (see `isRecordDue`). The page must check that the requested part belongs to
 * the project.
 */
export async function readPolledVisit(
  { table }: WithTable,
  start: Visit & { readonly session: Session },
  { organizationId = '-', projectId = '-' }: Places,
): Promise<PolledVisit> {
  const { accountId, company } = start.session;
  if (company && company.organizationId !== organizationId) throw notFound('Page');
  const { role } = (await table.get(memberships, { organizationId, accountId })) ?? refuse(notFound('Page'));
  return { ...start, person: { ...makeSignedInPerson(start.session), role }, organizationId, projectId };
}
