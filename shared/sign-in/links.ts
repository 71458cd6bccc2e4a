/**
 * One-time sign-in links, which only the operator can create. The secret is in the fragment of the URL, which never
 * reaches a server log.
 */
import type { Actor } from '#shared/access/actor.ts';
import { createSecret, hashToken, isSecret } from '#shared/access/token.ts';
import { invalidRequest, notFound, refuse } from '#shared/engine/errors.ts';
import { readListedItems } from '#shared/engine/table/listed.ts';
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { expectSameValues, toAssignments } from '#shared/engine/table/update.ts';
import { ABSENT, PRESENT, put, remove, removeWhen, update, type Write } from '#shared/engine/table/writes.ts';
import { type Account, accounts, type Origin } from '#shared/model/organizations/account.ts';
import {
  getMembershipsSpan,
  type Membership,
  memberships,
  membershipsOfAccount,
} from '#shared/model/organizations/membership.ts';
import { passkeys, passkeysOfAccount } from '#shared/model/sign-in/passkey.ts';
import { linkOfAccount, type SignInLink, signInLinks } from '#shared/model/sign-in/sign-in-link.ts';
import { change } from '#shared/organizations/change.ts';
import { findAccount, findCompanyAccount } from '#shared/organizations/create-account.ts';
import { revokeDeadTokens } from '#shared/organizations/dead-tokens.ts';
import { endGrants } from '#shared/organizations/end-grants.ts';
import { withdrawInviterInvitations } from '#shared/organizations/invitations.ts';
import {
  computeMembershipStart,
  expectUnchangedMembership,
  toNextSecond,
} from '#shared/organizations/membership-rows.ts';
import { parseName } from '#shared/organizations/name-inputs.ts';
import type { CoreServices } from '#shared/services.ts';
import { linkNotUsable } from './errors.ts';
import { SIGN_IN_LIMITS } from './limits.ts';
import { listPasskeys } from './passkeys.ts';
import { listProviderIdentities, planIdentityRemoval } from './provider-identities.ts';
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

/**
 * Creates a sign-in link, which replaces any earlier link of the account. Also marks the email address as proven,
 * because the operator hands the link to the owner of the address. Each organization of the account gets an audit
 * record.
 */
export async function createSignInLink(
  services: CoreServices,
  {
    actor,
    email,
    organizationId,
    name: givenName,
    minutes = SIGN_IN_LIMITS.linkMinutes.default,
  }: {
    readonly actor: Actor;
    readonly email: string;
    /** The organization that manages the account. Absent for an account that its person owns. */
    readonly organizationId?: string | undefined;
    /** The name of the person from now on. */
    readonly name?: string | undefined;
    readonly minutes?: number | undefined;
  },
): Promise<CreatedLink> {
  const { minimum, maximum } = SIGN_IN_LIMITS.linkMinutes;
  if (!Number.isInteger(minutes) || minutes < minimum || minutes > maximum)
    throw invalidRequest(`A sign-in link must be valid for ${minimum} to ${maximum} whole minutes`);
  const name = givenName === undefined ? undefined : parseName('The name of an account', givenName);
  const { table, now } = services;
  const { link, account, members } = await change(services, { actor, action: 'accounts:link' }, async () => {
    const account =
      (await (organizationId === undefined
        ? findAccount(services, email)
        : findCompanyAccount(services, { organizationId, email }))) ?? refuse(notFound('Account'));
    const { accountId, unproven } = account;
    const members = await readListedItems(table, membershipsOfAccount, getMembershipsSpan({ accountId }), memberships);
    const earlierLink = await table.get(linkOfAccount, { accountId }, { consistent: true });
    const secret = createSecret(SECRET_PREFIX);
    const link = { hash: hashToken(secret), accountId, expiresAt: Math.floor(now() / 1000) + minutes * 60 };
    const changes = unproven
      ? await planProof(services, { ...account, name: name ?? deriveNeutralName(account) }, members)
      : planRename(account, name);
    return {
      result: { link: { ...link, secret, unproven }, account, members },
      writes: [
        put(signInLinks, link, ABSENT),
        put(linkOfAccount, link, earlierLink ? { path: 'hash', equals: earlierLink.hash } : ABSENT),
        ...(earlierLink ? [remove(signInLinks, earlierLink)] : []),
        ...changes,
      ],
      record: members.flatMap(({ organizationId }) => {
        const of = { organizationId, subject: accountId };
        const createdRecord = {
          ...of,
          action: 'sign-in link created' as const,
          detail: `valid for ${formatMinutes(minutes)}`,
        };
        const provenRecord = { ...of, action: 'address proven' as const, detail: 'by a sign-in link' };
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

// Marks the address of an account as proven, and ends the access that its holder may have set up before. One
// transaction marks the address as proven, replaces the name that its holder has chosen, deletes the passkeys and the
// identities at providers, and gives each membership a new start time. This ends all sessions that depend on a deleted
// passkey or identity, or on the unproven address. Tokens and grants (§5.2, §5.3) and
// invitations from before the new start time are refused. API keys and webhooks stay, because they belong to the
// organization.

/** The name of an account whose own name a stranger may have chosen. The operator may give another one. */
const deriveNeutralName = ({ email }: Account): string => email.slice(0, email.lastIndexOf('@'));

const planRename = (account: Account, name = account.name): Write[] =>
  name === account.name ? [] : [update(accounts, account, { set: [['name', name]] }, PRESENT)];

/** The writes fail if a passkey or a membership of the account has changed since it was read. */
async function planProof(services: CoreServices, account: Account, members: readonly Membership[]): Promise<Write[]> {
  const [earlierPasskeys, earlierIdentities] = await Promise.all([
    listPasskeys(services, account),
    listProviderIdentities(services, account),
  ]);
  const starts = await Promise.all(members.map((member) => computeMembershipStart(services, member)));
  return [
    update(
      accounts,
      account,
      { set: toAssignments({ passkeys: 0, name: account.name }), remove: ['unproven', 'identities'] },
      {
        all: [
          { present: 'unproven' },
          { path: 'passkeys', equals: earlierPasskeys.length },
          expectSameValues(account, 'identities'),
        ],
      },
    ),
    ...earlierPasskeys.flatMap((passkey) => [
      removeWhen(passkeys, passkey, PRESENT),
      remove(passkeysOfAccount, passkey),
    ]),
    ...earlierIdentities.flatMap(planIdentityRemoval),
    ...members.map((member, index) => {
      const startedAt = toNextSecond(starts[index] ?? services.now());
      return update(memberships, member, { set: [['startedAt', startedAt]] }, expectUnchangedMembership(member));
    }),
  ];
}

const formatMinutes = (minutes: number): string =>
  minutes >= 120 && minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} min`;
