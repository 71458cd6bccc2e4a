/** §5 Joining by invitation, once. Who was a member before begins a new membership. */
import { hashToken } from '../credentials/token.ts';
import { invitationNotFound, refuse } from '../errors.ts';
import { type Account, accounts } from '../resources/account.ts';
import { type Invitation, invitations, invitationsBySecret } from '../resources/invitation.ts';
import type { Membership } from '../resources/membership.ts';
import { type Organization, organizations } from '../resources/organization.ts';
import type { Administration } from '../services.ts';
import { check, checked } from '../table/writes.ts';
import { nameOf, type Person } from './actor.ts';
import { auditOf } from './audit.ts';
import { untilWritten } from './change.ts';
import { newMembership } from './membership-rows.ts';
import { ACTIVE } from './rights.ts';

/** Whatever keeps the invitation from being theirs is one and the same refusal: nobody learns whom else it would let in. */
export function joinOrganization(
  services: Administration,
  { actor, secret }: { actor: Person; secret: string },
): Promise<Membership> {
  const hash = hashToken(secret.trim());
  return untilWritten(services, async () => {
    const { invitation, account, organization } =
      (await accepted(services, { actor, hash })) ?? refuse(invitationNotFound());
    const { organizationId } = organization;
    const { membership, writes } = await newMembership(services, { organization, account, role: invitation.role });
    const record = { action: 'member joined', subject: account.accountId, detail: invitation.role };
    return {
      result: membership,
      writes: [
        ...checked([check(organizations, organization, ACTIVE), stillTheSame(invitation)], writes),
        auditOf(services, { ...record, organizationId, actor: nameOf(actor) }),
      ],
    };
  });
}

const stillTheSame = (invitation: Invitation) =>
  check(invitations, invitation, { path: 'hash', equals: invitation.hash });

interface Accepted {
  readonly invitation: Invitation;
  readonly account: Account;
  readonly organization: Organization;
}

async function accepted(
  { table, now }: Administration,
  { actor, hash }: { actor: Person; hash: string },
): Promise<Accepted | undefined> {
  const pointer = await table.get(invitationsBySecret, { hash }, { consistent: true });
  if (!pointer) return undefined;
  const [invitation, account, organization] = await Promise.all([
    table.get(invitations, pointer, { consistent: true }),
    table.get(accounts, actor, { consistent: true }),
    table.get(organizations, pointer, { consistent: true }),
  ]);
  if (!invitation || !account || !organization) return undefined;
  const isOpen = invitation.hash === hash && now() <= invitation.validUntil && organization.deactivatedAt === undefined;
  return isOpen && invitation.email === account.email ? { invitation, account, organization } : undefined;
}
