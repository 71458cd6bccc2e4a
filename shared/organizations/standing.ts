/** §5 Reads the actor's role on each request, and decides whether they may act in the organization. */
import { ACTIONS, type ActionRule, type OrganizationAction } from '#shared/access/actions.ts';
import type { Actor } from '#shared/access/actor.ts';
import { requirePermission } from '#shared/access/may.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import { type Check, check, PRESENT } from '#shared/engine/table/writes.ts';
import { type Membership, memberships, type Role } from '#shared/model/organizations/membership.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import { organizationDeactivated } from './errors.ts';
import type { Submission } from './only-once.ts';
import { findSessionRefusal } from './session-rule.ts';

export interface OrganizationRequest extends Submission {
  readonly organizationId: string;
}

export interface Standing {
  readonly organization: Organization;
  /** The actor, with the role that was just read. */
  readonly actor: Actor;
  /** The membership of the actor. Absent for actors without an account. */
  readonly membership: Membership | undefined;
  /** Make a transaction fail if the actor lost the role, or the organization was deactivated, in the meantime. */
  readonly checks: readonly Check[];
}

export const ACTIVE: Condition = { all: [PRESENT, { absent: 'deactivatedAt' }] };

/** Non-members get the same 404 whether or not the organization exists. */
export async function authorizeRead(
  { table }: WithTable,
  { organizationId, actor }: OrganizationRequest,
  action: OrganizationAction,
): Promise<Standing> {
  const organizationLookup = makeLookup(organizations, { organizationId });
  const membershipLookups = listAccounts(actor).map((account) =>
    makeLookup(memberships, { ...account, organizationId }),
  );
  const rows = await table.getTogether([organizationLookup, ...membershipLookups], { consistent: true });
  const organization = rows.of(organizationLookup) ?? refuse(notFound('Organization'));
  const [membership] = membershipLookups.map(
    (membershipLookup) => rows.of(membershipLookup) ?? refuse(notFound('Organization')),
  );
  if ('organizationId' in actor && actor.organizationId !== organizationId) throw notFound('Organization');
  const sessionRefusal = actor.kind === 'person' ? findSessionRefusal(actor, organization) : undefined;
  if (sessionRefusal) throw sessionRefusal;
  // Members cannot even read a deactivated organization. The operator can.
  if (membership && organization.deactivatedAt !== undefined) throw organizationDeactivated();
  const currentActor = membership ? addRole(actor, membership.role) : actor;
  requirePermission(currentActor, action);
  const { roles }: ActionRule = ACTIONS[action];
  const checks = membership ? [check(memberships, membership, { path: 'role', oneOf: roles })] : [];
  return { organization, actor: currentActor, membership, checks };
}

export async function authorizeChange(
  services: WithTable,
  request: OrganizationRequest,
  action: OrganizationAction,
): Promise<Standing> {
  const standing = await authorizeRead(services, request, action);
  const { organization, membership, checks } = standing;
  const { afterDeactivation }: ActionRule = ACTIONS[action];
  if (organization.deactivatedAt !== undefined && !afterDeactivation) throw organizationDeactivated();
  const condition = afterDeactivation && !membership ? PRESENT : ACTIVE;
  return { ...standing, checks: [check(organizations, organization, condition), ...checks] };
}

const listAccounts = (actor: Actor): { readonly accountId: string }[] =>
  'accountId' in actor ? [{ accountId: actor.accountId }] : [];

const addRole = (actor: Actor, role: Role): Actor =>
  actor.kind === 'person' || actor.kind === 'accessToken' ? { ...actor, role } : actor;
