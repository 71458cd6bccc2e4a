/** A person's passkeys: their list, and the end of one. */
import type { Person } from '#shared/access/actor.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { PRESENT, remove, removeWhen } from '#shared/engine/table/writes.ts';
import { membershipsOfAccount, membershipsSpan } from '#shared/model/membership.ts';
import { type Passkey, passkeys, passkeysOfAccount, passkeysSpan } from '#shared/model/passkey.ts';
import type { Session } from '#shared/model/session.ts';
import { change } from '#shared/organizations/change.ts';
import type { CoreServices } from '#shared/services.ts';
import { type NewSession, renewedSession } from './sessions.ts';

/** All of them, oldest first. */
export async function listPasskeys(
  { table }: Pick<CoreServices, 'table'>,
  account: Pick<Passkey, 'accountId'>,
): Promise<Passkey[]> {
  const pointers = await table.queryAll(passkeysOfAccount, passkeysSpan(account), { consistent: true });
  const found = await table.getMany(passkeys, pointers, { consistent: true });
  return found.flatMap((passkey) => passkey ?? []);
}

/** Renews the session, so that a cookie stolen before is dead. The last passkey may go: the operator's links remain. */
export function removePasskey(
  services: CoreServices,
  { actor, session, passkeyId }: { readonly actor: Person; readonly session: Session; readonly passkeyId: string },
): Promise<NewSession> {
  return change(services, { actor, action: 'accounts:removePasskey' }, async () => {
    const all = await listPasskeys(services, actor);
    const passkey = all.find((one) => one.passkeyId === passkeyId) ?? refuse(notFound('Passkey'));
    const renewed = await renewedSession(services, session);
    return {
      result: renewed,
      writes: [removeWhen(passkeys, passkey, PRESENT), remove(passkeysOfAccount, passkey), ...renewed.writes],
      record: await recordsOf(services, actor, { action: 'passkey removed', detail: passkey.name }),
    };
  });
}

/** One audit record for each organization of the person. */
export async function recordsOf<Name extends string>(
  { table }: Pick<CoreServices, 'table'>,
  { accountId }: Pick<Person, 'accountId'>,
  entry: { readonly action: Name; readonly detail: string },
) {
  const all = await table.queryAll(membershipsOfAccount, membershipsSpan({ accountId }), { consistent: true });
  return all.map(({ organizationId }) => ({ ...entry, organizationId, subject: accountId }));
}
