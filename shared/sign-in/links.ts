/**
 * One-time sign-in links, which only the operator can create. The secret is in the fragment of the URL, which never
 * reaches a server log.
 */
import type { Actor } from '#shared/access/actor.ts';
import { createSecret, hashToken, isSecret } from '#shared/access/token.ts';
import { invalidRequest, notFound, refuse } from '#shared/engine/errors.ts';
import { readListedItems } from '#shared/engine/table/listed.ts';
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { ABSENT, PRESENT, put, remove, removeWhen, update, type Write } from '#shared/engine/table/writes.ts';
import { type Account, accounts, type Origin } from '#shared/model/organizations/account.ts';
import { getMembershipsSpan, memberships, membershipsOfAccount } from '#shared/model/organizations/membership.ts';
import { linkOfAccount, type SignInLink, signInLinks } from '#shared/model/sign-in/sign-in-link.ts';
import { change } from '#shared/organizations/change.ts';
import { findAccount, findCompanyAccount } from '#shared/organizations/create-account.ts';
import { revokeDeadTokens } from '#shared/organizations/dead-tokens.ts';
import { endGrants } from '#shared/organizations/end-grants.ts';
import { withdrawInviterInvitations } from '#shared/organizations/invitations.ts';
import { parseName } from '#shared/organizations/name-inputs.ts';
import type { CoreServices } from '#shared/services.ts';
import { linkNotUsable } from './errors.ts';
import { SIGN_IN_LIMITS } from './limits.ts';
import { deriveNeutralName, planProof } from './prove-address.ts';
import { endSessions, makeSession, type NewSession, type SignInBrowser } from './sessions.ts';

const SECRET_PREFIX = 'rdn_lnk';

interface CreatedLink extends SignInLink {
  /** The secret of the link, which cannot be read again. */
  readonly secret: string;
  /**
   * How the account was created, if its email address was unproven until now. In this case, the passkeys, sessions,
   * tokens, applications and invitations of the holder of the account have become invalid.
   */
  readonly unproven: Origin | undefined;
}

interface LinkRequest {
  readonly actor: Actor;
  readonly email: string;
  /** The organization that manages the account. Absent for an account that its person owns. */
  readonly organizationId?: string | undefined;
  /** The name of the person from now on. */
  readonly name?: string | undefined;
  readonly minutes?: number | undefined;
}

/**
 * Creates a sign-in link, which replaces any earlier link of the account. Also marks the email address as proven,
 * because the operator hands the link to the owner of the address. Each organization of the account gets an audit
 * record.
 */
export async function createSignInLink(services: CoreServices, request: LinkRequest): Promise<CreatedLink> {
  const { actor, name: givenName, minutes = SIGN_IN_LIMITS.linkMinutes.default } = request;
  const { minimum, maximum } = SIGN_IN_LIMITS.linkMinutes;
  if (!Number.isInteger(minutes) || minutes < minimum || minutes > maximum)
    throw invalidRequest(`A sign-in link must be valid for ${minimum} to ${maximum} whole minutes`);
  const name = givenName === undefined ? undefined : parseName('The name of an account', givenName);
  const { table, now } = services;
  const { link, account, members } = await change(services, { actor, action: 'accounts:link' }, async () => {
    const account = await findRequestedAccount(services, request);
    const { accountId, unproven } = account;
    const members = await readListedItems(table, membershipsOfAccount, getMembershipsSpan({ accountId }), memberships);
    const earlierLink = await table.get(linkOfAccount, { accountId }, { consistent: true });
    const secret = createSecret(SECRET_PREFIX);
    const link = { hash: hashToken(secret), accountId, expiresAt: Math.floor(now() / 1000) + minutes * 60 };
    const changes = unproven
      ? await planProof(services, { ...account, name: name ?? deriveNeutralName(account) }, members)
      : planRename(account, name);
    const writes: Write[] = [
      put(signInLinks, link, ABSENT),
      put(linkOfAccount, link, earlierLink ? { path: 'hash', equals: earlierLink.hash } : ABSENT),
      ...changes,
    ];
    if (earlierLink) writes.push(remove(signInLinks, earlierLink));
    return {
      result: { link: { ...link, secret, unproven }, account, members },
      writes,
      record: members.flatMap(({ organizationId }) => {
        const place = { organizationId, subject: accountId };
        const detail = `valid for ${formatMinutes(minutes)}`;
        const createdRecord = { ...place, action: 'sign-in link created' as const, detail };
        const provenRecord = { ...place, action: 'address proven' as const, detail: 'by a sign-in link' };
        return unproven ? [provenRecord, createdRecord] : [createdRecord];
      }),
    };
  });
  if (link.unproven) {
    // Deletes what has become invalid because the address was proven, so that lists do not show it.
    await endSessions(services, account, () => true, actor);
    for (const member of members) {
      await withdrawInviterInvitations(services, member);
      await endGrants(services, member, 'the operator proved the email address of its user');
      await revokeDeadTokens(services, member);
    }
  }
  return link;
}

async function findRequestedAccount(services: CoreServices, { organizationId, email }: LinkRequest): Promise<Account> {
  const account =
    organizationId === undefined
      ? await findAccount(services, email)
      : await findCompanyAccount(services, { organizationId, email });
  return account ?? refuse(notFound('Account'));
}

/** Whether the text is the secret of a sign-in link, whether or not such a link exists. */
export const isLinkSecret = (text: string): boolean => isSecret(SECRET_PREFIX, text);

/**
 * Signs a person in. If several requests use the same link at the same time, only one succeeds. The error is the same
 * for all unusable links, and for the link of another account than `accountId`, if that is given.
 */
export async function redeemSignInLink(
  services: CoreServices,
  { secret, accountId, ...browser }: SignInBrowser & { readonly secret: string; readonly accountId?: string },
): Promise<NewSession> {
  const { table } = services;
  if (!isLinkSecret(secret)) throw linkNotUsable();
  return retryOptimistically('sign-in link', async () => {
    const link = await table.get(signInLinks, { hash: hashToken(secret) }, { consistent: true });
    if (!link || (accountId !== undefined && link.accountId !== accountId)) throw linkNotUsable();
    const newSession = makeSession(services, { ...browser, accountId: link.accountId, method: 'link' });
    const isRedeemed = await table.transact([
      removeWhen(signInLinks, link, PRESENT),
      removeWhen(linkOfAccount, link, { path: 'hash', equals: link.hash }),
      ...newSession.writes,
    ]);
    return isRedeemed ? newSession : AGAIN;
  });
}

const planRename = (account: Account, name = account.name): Write[] =>
  name === account.name ? [] : [update(accounts, account, { set: [['name', name]] }, PRESENT)];

const formatMinutes = (minutes: number): string =>
  minutes >= 120 && minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} min`;
