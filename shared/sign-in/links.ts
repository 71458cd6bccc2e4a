/**
 * One-time sign-in links, which only the operator can create. The secret is in the fragment of the URL, which never
 * reaches a server log.
 */
import type { Actor } from '#shared/access/actor.ts';
import { createSecret, hashToken, isSecret } from '#shared/access/token.ts';
import { invalidRequest, notFound, refuse } from '#shared/engine/errors.ts';
import { optimistically } from '#shared/engine/table/optimistic.ts';
import { ABSENT, PRESENT, put, remove, removeWhen } from '#shared/engine/table/writes.ts';
import type { Origin } from '#shared/model/organizations/account.ts';
import { memberships, membershipsOfAccount, membershipsSpan } from '#shared/model/organizations/membership.ts';
import { linkOfAccount, type SignInLink, signInLinks } from '#shared/model/organizations/sign-in-link.ts';
import { change } from '#shared/organizations/change.ts';
import { findAccount } from '#shared/organizations/create-account.ts';
import type { CoreServices } from '#shared/services.ts';
import { linkNotUsable } from './errors.ts';
import { SIGN_IN_LIMITS } from './limits.ts';
import { clearLists, proofOf } from './prove-address.ts';
import { type NewSession, newSession, type SignInBrowser } from './sessions.ts';

const SECRET_PREFIX = 'rdn_lnk';

interface CreatedLink extends SignInLink {
  /** The secret of the link, which cannot be read again. */
  readonly secret: string;
  /**
   * The origin of the account, if its address was unproven until now. Everything that its holder had set up has been
   * ended.
   */
  readonly unproven: Origin | undefined;
}

/**
 * Replaces an earlier link of the account. Also proves its address, because the operator hands the link to the owner of
 * the address. Each organization of the account gets an audit record.
 */
export async function createSignInLink(
  services: CoreServices,
  {
    actor,
    email,
    minutes = SIGN_IN_LIMITS.linkMinutes.default,
  }: { readonly actor: Actor; readonly email: string; readonly minutes?: number | undefined },
): Promise<CreatedLink> {
  const { minimum, maximum } = SIGN_IN_LIMITS.linkMinutes;
  if (!Number.isInteger(minutes) || minutes < minimum || minutes > maximum)
    throw invalidRequest(`A sign-in link must be valid for ${minimum} to ${maximum} minutes`);
  const { table, now } = services;
  const { link, account, members } = await change(services, { actor, action: 'accounts:link' }, async () => {
    const account = (await findAccount(services, email)) ?? refuse(notFound('Account'));
    const { accountId, unproven } = account;
    const pointers = await table.queryAll(membershipsOfAccount, membershipsSpan({ accountId }), { consistent: true });
    const known = await table.getMany(memberships, pointers, { consistent: true });
    const members = known.flatMap((membership) => membership ?? []);
    const earlier = await table.get(linkOfAccount, { accountId }, { consistent: true });
    const secret = createSecret(SECRET_PREFIX);
    const link = { hash: hashToken(secret), accountId, expiresAt: Math.floor(now() / 1000) + minutes * 60 };
    const proof = unproven ? await proofOf(services, account, members) : [];
    return {
      result: { link: { ...link, secret, unproven }, account, members },
      writes: [
        put(signInLinks, link, ABSENT),
        put(linkOfAccount, link, earlier ? { path: 'hash', equals: earlier.hash } : ABSENT),
        ...(earlier ? [remove(signInLinks, earlier)] : []),
        ...proof,
      ],
      record: members.flatMap(({ organizationId }) => {
        const of = { organizationId, subject: accountId };
        const created = { ...of, action: 'sign-in link created' as const, detail: `valid for ${minutes} minutes` };
        const proven = { ...of, action: 'address proven' as const, detail: 'by a sign-in link' };
        return unproven ? [proven, created] : [created];
      }),
    };
  });
  if (link.unproven) await clearLists(services, actor, account, members);
  return link;
}

/**
 * Signs a person in. Of several concurrent requests with the same link, one succeeds. All unusable links get the same
 * refusal.
 */
export async function redeemSignInLink(
  services: CoreServices,
  { secret, ...browser }: SignInBrowser & { readonly secret: string },
): Promise<NewSession> {
  const { table } = services;
  if (!isSecret(SECRET_PREFIX, secret)) throw linkNotUsable();
  let started: NewSession | undefined;
  await optimistically('sign-in link', async () => {
    const link = await table.get(signInLinks, { hash: hashToken(secret) }, { consistent: true });
    if (!link) throw linkNotUsable();
    started = newSession(services, { ...browser, accountId: link.accountId, method: 'link' });
    return table.transact([
      removeWhen(signInLinks, link, PRESENT),
      removeWhen(linkOfAccount, link, { path: 'hash', equals: link.hash }),
      ...started.writes,
    ]);
  });
  return started ?? refuse(linkNotUsable());
}
