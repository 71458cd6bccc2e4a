/** Invites people and lets them join. */

import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { inviteMember } from '#shared/organizations/invitations.ts';
import { joinOrganization } from '#shared/organizations/join-organization.ts';
import { service } from '#test/harness/service.ts';
import type { Stage } from './cast.ts';

export const WEEK = 7 * 24 * 60 * 60 * 1000;
/**
 * The refusal of every unusable invitation. It is always the same, so that it does not reveal why the invitation is
 * unusable.
 */
export const REFUSED = 'Invitation not found for this email address. Ask an Admin of the organization for a new one';

export const by = ({ organizationId }: Stage) => ({ organizationId, actor: OPERATOR });
export const account = ({ services }: Stage) =>
  createAccount(services, { email: `${crypto.randomUUID()}@example.com`, name: 'Kim Roe' });
export const invited = async (stage: Stage, { email }: Account) =>
  (await inviteMember(stage.services, { ...by(stage), email, role: 'member' })).secret;
export const join = ({ services }: Stage, who: Account, secret: string) =>
  joinOrganization(services, { actor: makePerson(who), secret });

/** Creates an organization, and an account that is not a member of it. */
export async function stageWithKim() {
  const stage = await service();
  return { stage, kim: await account(stage) };
}
