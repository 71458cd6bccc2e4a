/**
 * Accepts an invitation for a person without an account: one transaction creates the account, adds it to the
 * organization and signs the person in.
 */
import { makePerson } from '#shared/access/actor.ts';
import { refuse } from '#shared/engine/errors.ts';
import { accountsByEmail } from '#shared/model/organizations/account.ts';
import { change } from '#shared/organizations/change.ts';
import { makeAccount } from '#shared/organizations/create-account.ts';
import { invitationNotFound } from '#shared/organizations/errors.ts';
import { findOpenInvitation, planJoin } from '#shared/organizations/join-organization.ts';
import type { CoreServices } from '#shared/services.ts';
import { signInToJoin } from './errors.ts';
import { makeSession, type NewSession, type SignInBrowser } from './sessions.ts';

interface Acceptance extends SignInBrowser {
  readonly secret: string;
  /** The name of the person. The email address is taken from the invitation. */
  readonly name: string;
}

/** Of simultaneous requests, one succeeds. The link gives no access to an existing account: its owner must sign in. */
export async function joinAsNewPerson(
  services: CoreServices,
  { secret, name, ...browser }: Acceptance,
): Promise<NewSession> {
  const openInvitation = (await findOpenInvitation(services, secret)) ?? refuse(invitationNotFound());
  const { email, organizationId, invitedBy } = openInvitation.invitation;
  const unproven = { organizationId, invitedBy, at: services.now() };
  const { account, writes } = makeAccount(services, { email, name, unproven });
  return change(services, { actor: makePerson(account), action: 'organizations:join' }, async () => {
    const open = (await findOpenInvitation(services, secret)) ?? refuse(invitationNotFound());
    if (await services.table.get(accountsByEmail, { email }, { consistent: true })) throw signInToJoin();
    const newSession = makeSession(services, { ...browser, accountId: account.accountId, method: 'invitation' });
    const joinPlan = await planJoin(services, open, account);
    return { ...joinPlan, result: newSession, writes: [...writes, ...joinPlan.writes, ...newSession.writes] };
  });
}
