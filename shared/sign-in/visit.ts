/** A request of a signed-in person: the account, and the organization and project that the URL names. */
import { type Person, person } from '#shared/access/actor.ts';
import { type ApiError, notFound, organizationDeactivated, refuse } from '#shared/engine/errors.ts';
import { lookup } from '#shared/engine/table/found.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import { memberships, type Role } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { type ProjectRecord, projects } from '#shared/model/organizations/project.ts';
import type { Session } from '#shared/model/organizations/session.ts';
import type { CoreServices } from '#shared/services.ts';
import type { Theme } from './cookies.ts';
import { groundsOf } from './session-grounds.ts';

/** Somebody who is not signed in. */
export interface Visit {
  /** The path of the service's origin: empty on a domain of its own. All links begin with it. */
  readonly base: string;
  readonly theme: Theme;
}

export interface AccountVisit extends Visit {
  readonly session: Session;
  readonly account: Account;
  /** The actor of all rules. Its role is the one in the organization that the URL names, if any. */
  readonly person: Person;
}

export interface OrganizationVisit extends AccountVisit {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly person: Person & { readonly role: Role };
}

export interface ProjectVisit extends OrganizationVisit {
  readonly projectId: string;
  readonly project: ProjectRecord;
}

/** A request for a part of a page that is fetched again and again. The page itself checked everything before. */
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

/** Without a visit if account or session ended. `refusal`: why the person may not enter the place that the URL names. */
export interface KnownVisit {
  readonly visit: AnyVisit | undefined;
  readonly refusal?: ApiError;
}

/** One trip. A place of others and an unknown one get the same 404. */
export async function readVisit(
  { table }: Pick<CoreServices, 'table'>,
  start: Visit & { readonly session: Session },
  { organizationId, projectId }: Places,
): Promise<KnownVisit> {
  const { accountId } = start.session;
  const grounds = groundsOf(start.session);
  const key = { organizationId: organizationId ?? '-', accountId };
  const membershipLookup = lookup(memberships, key);
  const organizationLookup = lookup(organizations, key);
  const projectLookup = lookup(projects, { ...key, projectId: projectId ?? '-' });
  const found = await table.getTogether(
    [
      ...grounds.lookups,
      ...(organizationId === undefined ? [] : [membershipLookup, organizationLookup]),
      ...(projectId === undefined ? [] : [projectLookup]),
    ],
    { consistent: true },
  );
  const account = grounds.accountIn(found);
  if (!account) return { visit: undefined };
  const visit = { ...start, account, person: person({ accountId }) };
  if (organizationId === undefined) return { visit };
  const membership = found.of(membershipLookup);
  const organization = found.of(organizationLookup);
  if (!membership || !organization) return { visit, refusal: notFound('Page') };
  if (organization.deactivatedAt !== undefined) return { visit, refusal: organizationDeactivated() };
  const { role } = membership;
  const inside = { ...visit, organizationId, organizationName: organization.name, person: { ...visit.person, role } };
  if (projectId === undefined) return { visit: inside };
  const project = found.of(projectLookup);
  return project ? { visit: { ...inside, projectId, project } } : { visit: inside, refusal: notFound('Page') };
}

/**
 * One read of the membership. Throws 404 without one. Account, organization and project are checked when the session is
 * recorded again, see `isRecordDue`. The part that is shown belongs to the project, or is a 404, too.
 */
export async function readPolledVisit(
  { table }: Pick<CoreServices, 'table'>,
  start: Visit & { readonly session: Session },
  { organizationId = '-', projectId = '-' }: Places,
): Promise<PolledVisit> {
  const { accountId } = start.session;
  const { role } = (await table.get(memberships, { organizationId, accountId })) ?? refuse(notFound('Page'));
  return { ...start, person: { ...person({ accountId }), role }, organizationId, projectId };
}
