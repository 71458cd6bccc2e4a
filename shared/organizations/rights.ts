/**
 * §5 Who may do what in an organization. Admins decide about people, credentials and projects; API keys are shown to all
 * but Guests (§5.1); a personal token is its owner's, and any Admin's to see and revoke (§5.2). The operator may do
 * everything that nobody has to do for themselves.
 */
import {
  type ApiError,
  adminOnly,
  notForGuests,
  notFound,
  operatorOnly,
  organizationDeactivated,
  refuse,
} from '../errors.ts';
import { type Membership, memberships, ROLES, type Role } from '../resources/membership.ts';
import { type Organization, organizations } from '../resources/organization.ts';
import type { Administration } from '../services.ts';
import { lookup } from '../table/found.ts';
import type { Condition } from '../table/update.ts';
import { type Check, check, PRESENT } from '../table/writes.ts';
import type { Actor } from './actor.ts';

interface Audience {
  readonly roles: readonly Role[];
  /** Of everybody else. */
  readonly refusal: () => ApiError;
}

const ADMINS: Audience = { roles: ['admin'], refusal: adminOnly };
const NOT_GUESTS: Audience = { roles: ['admin', 'actionsAdmin', 'member'], refusal: notForGuests };
const EVERYBODY: Audience = { roles: ROLES, refusal: operatorOnly };
const NOBODY: Audience = { roles: [], refusal: operatorOnly };

const RIGHTS = {
  'list members': EVERYBODY,
  'invite people': ADMINS,
  'list invitations': ADMINS,
  'withdraw an invitation': ADMINS,
  'add a member': NOBODY,
  'change a role': ADMINS,
  'remove a member': ADMINS,
  leave: EVERYBODY,
  'deprovision a member': NOBODY,
  'deactivate the organization': ADMINS,
  'list projects': EVERYBODY,
  'create a project': ADMINS,
  'read project settings': EVERYBODY,
  'change project settings': ADMINS,
  'list API keys': NOT_GUESTS,
  'create an API key': ADMINS,
  'delete an API key': ADMINS,
  'create a token': ADMINS,
  'list own tokens': EVERYBODY,
  'list all tokens': ADMINS,
  'revoke an own token': EVERYBODY,
  'revoke any token': ADMINS,
  'read the audit record': ADMINS,
} as const satisfies Readonly<Record<string, Audience>>;

export type Right = keyof typeof RIGHTS;

/**
 * What the operator still does with an organization that was deactivated: a directory goes on taking people out, and who
 * deactivates it again finishes what the first time did not reach.
 */
const AFTER_ITS_END: ReadonlySet<Right> = new Set<Right>(['deprovision a member', 'deactivate the organization']);

export interface Question {
  readonly organizationId: string;
  readonly actor: Actor;
}

export interface Standing {
  readonly organization: Organization;
  /** The actor's own; the operator has none. */
  readonly membership: Membership | undefined;
  /** What has to hold when a change is written: nobody changes anything with a role that they had a moment ago. */
  readonly checks: readonly Check[];
}

/** For a look. Whoever is no member is told the same of an organization that there is and of one that there is not. */
export async function mayLook(
  { table }: Pick<Administration, 'table'>,
  { organizationId, actor }: Question,
  right: Right,
): Promise<Standing> {
  const ofOrganization = lookup(organizations, { organizationId });
  const ofActor = actor.kind === 'person' ? [lookup(memberships, { ...actor, organizationId })] : [];
  const found = await table.getTogether([ofOrganization, ...ofActor], { consistent: true });
  const organization = found.of(ofOrganization) ?? refuse(notFound('Organization'));
  const [membership] = ofActor.map((wanted) => found.of(wanted) ?? refuse(notFound('Organization')));
  if (!membership) return { organization, membership, checks: [] };
  if (organization.deactivatedAt !== undefined) throw organizationDeactivated();
  const { roles, refusal }: Audience = RIGHTS[right];
  if (!roles.includes(membership.role)) throw refusal();
  return { organization, membership, checks: [check(memberships, membership, { path: 'role', oneOf: roles })] };
}

/** For a change. */
export async function mayChange(
  services: Pick<Administration, 'table'>,
  question: Question,
  right: Right,
): Promise<Standing> {
  const { organization, membership, checks } = await mayLook(services, question, right);
  const isAfterwards = AFTER_ITS_END.has(right);
  if (organization.deactivatedAt !== undefined && !isAfterwards) throw organizationDeactivated();
  const stillThere = check(organizations, organization, isAfterwards ? PRESENT : ACTIVE);
  return { organization, membership, checks: [stillThere, ...checks] };
}

export const ACTIVE: Condition = { all: [PRESENT, { absent: 'deactivatedAt' }] };

/** Of somebody who may look already. */
export function holds({ membership }: Standing, right: Right): boolean {
  const { roles }: Audience = RIGHTS[right];
  return membership === undefined || roles.includes(membership.role);
}

/** For what belongs to no organization, or to all of them. */
export function requireOperator(actor: Actor): void {
  if (actor.kind !== 'operator') throw operatorOnly();
}
