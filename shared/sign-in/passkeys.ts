/** Lists and removes the passkeys of a person. */
import type { Person } from '#shared/access/actor.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { readListedItems } from '#shared/engine/table/listed.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { mergeChecks, PRESENT, remove, removeWhen, update } from '#shared/engine/table/writes.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import { getPasskeysSpan, type Passkey, passkeys, passkeysOfAccount } from '#shared/model/sign-in/passkey.ts';
import type { Session } from '#shared/model/sign-in/session.ts';
import { change } from '#shared/organizations/change.ts';
import { makeAccountRecords } from '#shared/organizations/records-of-account.ts';
import type { CoreServices } from '#shared/services.ts';
import { endSessions, type NewSession, renewSession } from './sessions.ts';

/** The passkeys of a person, oldest first. */
export const listPasskeys = ({ table }: WithTable, account: Pick<Passkey, 'accountId'>): Promise<Passkey[]> =>
  readListedItems(table, passkeysOfAccount, getPasskeysSpan(account), passkeys);

/**
 * Removes a passkey and ends every session that was started with it. Gives the actor's session a new secret, so that a
 * cookie stolen earlier is useless. Returns this session, or `undefined` if it was ended as well. The last passkey may
 * be removed, because the person can still sign in with a link.
 */
export async function removePasskey(
  services: CoreServices,
  { actor, session, passkeyId }: { readonly actor: Person; readonly session: Session; readonly passkeyId: string },
): Promise<NewSession | undefined> {
  const { renewedSession, hash } = await change(services, { actor, action: 'accounts:removePasskey' }, async () => {
    const all = await listPasskeys(services, actor);
    const passkey = all.find((one) => one.passkeyId === passkeyId) ?? refuse(notFound('Passkey'));
    const { hash } = passkey;
    const renewedSession = session.passkey === hash ? undefined : await renewSession(services, session);
    const writes = [
      removeWhen(passkeys, passkey, PRESENT),
      remove(passkeysOfAccount, passkey),
      update(accounts, actor, { add: [['passkeys', -1]] }, PRESENT),
      ...(renewedSession?.writes ?? []),
    ];
    return {
      result: { renewedSession, hash },
      writes: mergeChecks(renewedSession?.checks ?? [], writes),
      record: await makeAccountRecords(services, actor, { action: 'passkey removed', detail: passkey.name }),
    };
  });
  await endSessions(services, actor, ({ passkey }) => passkey === hash);
  return renewedSession;
}
