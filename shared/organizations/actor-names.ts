/** Shows who acted: the name of a person instead of the id of their account. */
import { accountIdIn } from '#shared/access/actor.ts';
import { accounts } from '#shared/model/account.ts';
import type { CoreServices } from '#shared/services.ts';

/** Takes the names of audit records and cancellations. Other names than those of people stay as they are. */
export async function shownActors(
  { table }: Pick<CoreServices, 'table'>,
  names: readonly string[],
): Promise<(name: string) => string> {
  const ids = [...new Set(names.flatMap((name) => accountIdIn(name) ?? []))];
  const found =
    ids.length === 0
      ? []
      : await table.getMany(
          accounts,
          ids.map((accountId) => ({ accountId })),
        );
  const known = new Map(found.flatMap((account) => (account ? [[account.accountId, account.name] as const] : [])));
  return (name) => known.get(accountIdIn(name) ?? '') ?? name;
}
