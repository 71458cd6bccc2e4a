/** Inviting somebody, and joining. */
import { OPERATOR, person } from '#shared/organizations/actor.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { invite } from '#shared/organizations/invitations.ts';
import { joinOrganization } from '#shared/organizations/join.ts';
import type { Account } from '#shared/resources/account.ts';
import { service } from '#test/harness/service.ts';
import type { Stage } from './cast.ts';

export const WEEK = 7 * 24 * 60 * 60 * 1000;
/** What everybody is told whom an invitation does not let in. */
export const REFUSED = 'There is no such invitation for this address. Ask an Admin of the organization for a new one';

export const by = ({ organizationId }: Stage) => ({ organizationId, actor: OPERATOR });
export const account = ({ services }: Stage) =>
  createAccount(services, { email: `${crypto.randomUUID()}@example.com`, name: 'Kim Roe' });
export const invited = async (stage: Stage, { email }: Account) =>
  (await invite(stage.services, { ...by(stage), email, role: 'member' })).secret;
export const join = ({ services }: Stage, who: Account, secret: string) =>
  joinOrganization(services, { actor: person(who), secret });

/** An organization, and somebody who is not in it. */
export async function stageWithKim() {
  const stage = await service();
  return { stage, kim: await account(stage) };
}
