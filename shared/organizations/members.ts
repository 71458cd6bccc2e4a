/** §5 Members, their roles, and the three ways in which a membership ends. */
import { revokeDeadTokens } from '../credentials/dead-tokens.ts';
import { alreadyThere, lastAdmin, notFound, refuse } from '../errors.ts';
import { accounts } from '../resources/account.ts';
import { type Membership, memberships, membersSpan, type Role } from '../resources/membership.ts';
import type { Administration } from '../services.ts';
import { removeWhen, update } from '../table/writes.ts';
import type { Person } from './actor.ts';
import { change } from './change.ts';
import { adminsIn, countAdmins, membershipOf, newMembership, unchanged } from './membership-rows.ts';
import { mayLook, type Question, type Right } from './rights.ts';

interface Of extends Question {
  /** Whom it is about. */
  readonly accountId: string;
}

export async function listMembers(services: Administration, question: Question): Promise<Membership[]> {
  await mayLook(services, question, 'list members');
  return services.table.queryAll(memberships, membersSpan(question), { consistent: true });
}

/** By the operator, without an invitation: how an organization gets its first Admin. */
export function addMember(services: Administration, of: Of & { readonly role: Role }): Promise<Membership> {
  const { accountId, role } = of;
  return change(services, { ...of, right: 'add a member' }, async ({ organization }) => {
    const ofAccount = await services.table.get(accounts, of, { consistent: true });
    const account = ofAccount ?? refuse(notFound('Account'));
    if (await services.table.get(memberships, of, { consistent: true })) throw alreadyThere('This membership');
    const { membership, writes } = await newMembership(services, { organization, account, role });
    return { result: membership, writes, record: { action: 'member added', subject: accountId, detail: role } };
  });
}

export function changeRole(services: Administration, of: Of & { readonly role: Role }): Promise<Membership> {
  const { accountId, role } = of;
  return change(services, { ...of, right: 'change a role' }, async ({ organization }) => {
    const known = await membershipOf(services, of);
    if (known.role === role) return { result: known };
    const difference = adminsIn(role) - adminsIn(known.role);
    if (difference < 0 && organization.admins < 2) throw lastAdmin();
    const writes = [
      update(memberships, known, { set: [['role', role]] }, unchanged(known)),
      ...countAdmins(organization, difference),
    ];
    const record = { action: 'role changed', subject: accountId, detail: `${known.role} to ${role}` };
    return { result: { ...known, role }, writes, record };
  });
}

/** How many Admins the organization has afterwards. */
interface Ended {
  readonly admins: number;
}

export const removeMember = (services: Administration, of: Of): Promise<Ended> =>
  end(services, of, { right: 'remove a member', action: 'member removed', keepsAdmin: true });

export const leaveOrganization = (
  services: Administration,
  { organizationId, actor }: { organizationId: string; actor: Person },
): Promise<Ended> =>
  end(
    services,
    { organizationId, accountId: actor.accountId, actor },
    { right: 'leave', action: 'member left', keepsAdmin: true },
  );

/**
 * What a directory (SCIM) does with somebody who is gone. It never waits for another Admin: a refusal would leave the
 * person in. An organization that lost its last one this way gets its next from the operator.
 */
export async function deprovisionMember(services: Administration, of: Of): Promise<Ended> {
  const way = { right: 'deprovision a member', action: 'member deprovisioned', keepsAdmin: false } as const;
  const ended = await end(services, of, way);
  await revokeDeadTokens(services, of);
  return ended;
}

function end(
  services: Administration,
  of: Of,
  { right, action, keepsAdmin }: { right: Right; action: string; keepsAdmin: boolean },
): Promise<Ended> {
  return change(services, { ...of, right }, async ({ organization }) => {
    const known = await membershipOf(services, of);
    const admins = organization.admins - adminsIn(known.role);
    if (keepsAdmin && known.role === 'admin' && admins < 1) throw lastAdmin();
    const writes = [
      removeWhen(memberships, known, unchanged(known)),
      ...countAdmins(organization, -adminsIn(known.role)),
    ];
    return { result: { admins }, writes, record: { action, subject: of.accountId, detail: known.role } };
  });
}
