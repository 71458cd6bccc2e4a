/** §5 Joining, changing role and leaving. An organization that has an Admin keeps one; a rejoined membership is a new one. */
import { alreadyThere, conflict, lastAdmin, notFound } from '../errors.ts';
import { type Membership, memberships, membersSpan, type Role } from '../resources/membership.ts';
import { organizations } from '../resources/organization.ts';
import type { Administration } from '../services.ts';
import { ABSENT, put, removeWhen, update, type Write } from '../table/writes.ts';
import { auditOf } from './audit.ts';

interface Change {
  readonly organizationId: string;
  readonly accountId: string;
  /** Who does it. */
  readonly actor: string;
}

export const listMembers = ({ table }: Administration, of: { organizationId: string }): Promise<Membership[]> =>
  table.queryAll(memberships, membersSpan(of), { consistent: true });

export async function addMember(
  services: Administration,
  change: Change & { readonly role: Role },
): Promise<Membership> {
  const { organizationId, accountId, role } = change;
  const membership = { organizationId, accountId, role, startedAt: services.now() };
  const written = await services.table.transact([
    put(memberships, membership, ABSENT),
    countAdmins(organizationId, role === 'admin' ? 1 : 0),
    auditOf(services, {
      organizationId,
      actor: change.actor,
      action: 'member added',
      subject: accountId,
      detail: role,
    }),
  ]);
  if (!written) throw alreadyThere('This membership');
  return membership;
}

export async function changeRole(services: Administration, change: Change & { readonly role: Role }): Promise<void> {
  const known = await membershipOf(services, change);
  if (known.role === change.role) return;
  await commit(services, known, [
    update(memberships, known, { set: [['role', change.role]] }, unchanged(known)),
    countAdmins(change.organizationId, adminsIn(change.role) - adminsIn(known.role)),
    auditOf(services, { ...audited(change), action: 'role changed', detail: `${known.role} to ${change.role}` }),
  ]);
}

/** Removed by somebody, left, or deprovisioned: `action` says which. */
export async function removeMember(
  services: Administration,
  change: Change & { readonly action: 'member removed' | 'member left' | 'member deprovisioned' },
): Promise<void> {
  const known = await membershipOf(services, change);
  await commit(services, known, [
    removeWhen(memberships, known, unchanged(known)),
    countAdmins(change.organizationId, -adminsIn(known.role)),
    auditOf(services, { ...audited(change), action: change.action, detail: known.role }),
  ]);
}

const adminsIn = (role: Role): number => (role === 'admin' ? 1 : 0);
const audited = ({ organizationId, accountId, actor }: Change) => ({ organizationId, actor, subject: accountId });
const unchanged = ({ role, startedAt }: Membership) => ({
  all: [
    { path: 'role', equals: role },
    { path: 'startedAt', equals: startedAt },
  ],
});

/** On an organization that exists; never below one Admin once there was one. */
const countAdmins = (organizationId: string, difference: number): Write =>
  update(
    organizations,
    { organizationId },
    { add: [['admins', difference]] },
    difference < 0 ? { path: 'admins', atLeast: 2 } : { present: 'pk' },
  );

async function membershipOf({ table }: Administration, of: Change): Promise<Membership> {
  const known = await table.get(memberships, of, { consistent: true });
  if (!known) throw notFound('Membership');
  return known;
}

async function commit({ table }: Administration, known: Membership, writes: readonly Write[]): Promise<void> {
  if (await table.transact(writes)) return;
  const organization = await table.get(organizations, known, { consistent: true });
  throw known.role === 'admin' && (organization?.admins ?? 0) < 2 ? lastAdmin() : conflict('The membership');
}
