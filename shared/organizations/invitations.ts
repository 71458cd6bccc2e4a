/** §5 Invitations: an Admin names an address and a role, and hands the secret to the person, who joins with it (`join.ts`). */
import { createSecret, hashToken } from '../credentials/token.ts';
import { alreadyThere, notFound } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { accountsByEmail } from '../resources/account.ts';
import { type Invitation, invitations, invitationsBySecret, invitationsSpan } from '../resources/invitation.ts';
import { memberships, type Role } from '../resources/membership.ts';
import type { Administration } from '../services.ts';
import { ABSENT, type Check, check, put, remove } from '../table/writes.ts';
import { nameOf } from './actor.ts';
import { change } from './change.ts';
import { addressFrom } from './create-account.ts';
import { withoutInvitation } from './membership-rows.ts';
import { mayLook, type Question } from './rights.ts';

/** So that a scanner of source code recognizes one. */
const SECRET_PREFIX = 'rdn_inv';

export type ListedInvitation = Omit<Invitation, 'hash'>;

interface For extends Question {
  readonly email: string;
}

/** The secret is returned once and never again. One for the same address is replaced, and its secret is void. */
export function invite(
  services: Administration,
  wish: For & { readonly role: Role },
): Promise<ListedInvitation & { readonly secret: string }> {
  const { organizationId, actor, role } = wish;
  return change(services, { ...wish, right: 'invite people' }, async () => {
    const email = addressFrom(wish.email);
    const isNoMember = await noMemberWith(services, { organizationId, email });
    const earlier = await services.table.get(invitations, { organizationId, email }, { consistent: true });
    const [secret, createdAt] = [createSecret(SECRET_PREFIX), services.now()];
    const validUntil = createdAt + LIMITS.invitationMilliseconds;
    const invitation = { organizationId, email, role, invitedBy: nameOf(actor), createdAt, validUntil };
    const stored = { ...invitation, hash: hashToken(secret) };
    const writes = [
      isNoMember,
      put(invitations, stored, earlier ? { path: 'hash', equals: earlier.hash } : ABSENT),
      put(invitationsBySecret, stored, ABSENT),
      ...(earlier ? [remove(invitationsBySecret, earlier)] : []),
    ];
    const record = { action: 'member invited', subject: email, detail: role };
    return { result: { ...invitation, secret }, writes, record };
  });
}

/** What has to hold so that nobody is invited who is in already, not even a moment ago. */
async function noMemberWith(
  { table }: Administration,
  { organizationId, email }: { organizationId: string; email: string },
): Promise<Check> {
  const account = await table.get(accountsByEmail, { email }, { consistent: true });
  if (!account) return check(accountsByEmail, { email }, ABSENT);
  const of = { organizationId, accountId: account.accountId };
  if (await table.get(memberships, of, { consistent: true })) throw alreadyThere('This membership');
  return check(memberships, of, ABSENT);
}

/** Expired ones among them, until they are withdrawn or replaced. */
export async function listInvitations(services: Administration, question: Question): Promise<ListedInvitation[]> {
  await mayLook(services, question, 'list invitations');
  const all = await services.table.queryAll(invitations, invitationsSpan(question), { consistent: true });
  return all.map(listedInvitation);
}

const listedInvitation = ({ hash: _, ...invitation }: Invitation): ListedInvitation => invitation;

export function withdrawInvitation(services: Administration, of: For): Promise<ListedInvitation> {
  const { organizationId } = of;
  return change(services, { ...of, right: 'withdraw an invitation' }, async () => {
    const email = addressFrom(of.email);
    const invitation = await services.table.get(invitations, { organizationId, email }, { consistent: true });
    if (!invitation) throw notFound('Invitation');
    const record = { action: 'invitation withdrawn', subject: email, detail: invitation.role };
    return { result: listedInvitation(invitation), writes: withoutInvitation(invitation), record };
  });
}
