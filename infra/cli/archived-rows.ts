/** Decides which rows of an organization an archive contains, and leaves out their secrets. */
import type { Attributes } from '#shared/engine/table/entity.ts';
import type { SetAgain } from './archive-format.ts';
import type { RecognizedRow } from './row-owner.ts';
import type { Row } from './table-scan.ts';

/**
 * Kinds of rows that an archive leaves out:
 * - leases, caches, checkpoints and unsent events, which are useful only for a short time and in this deployment;
 * - the access that people gave to applications, because another deployment signs its tokens with other keys;
 * - the rows of the organization itself, which the import creates, and its scheduled removal;
 * - exported days and usage counts, which each deployment makes for itself.
 */
export const LEFT_OUT: ReadonlySet<string> = new Set([
  'OAuth grant',
  'OAuth grant, listed',
  'OAuth item',
  'cached version',
  'call slots',
  'checkpoint',
  'due organization',
  'exported day',
  'organization',
  'organization, listed',
  'outbox',
  'outbox retry',
  'parked outbox row',
  'requests of a credential',
  'requests of a month',
  'stored bytes',
]);

/** Kinds of rows that belong to a person. An archive contains them for each member. */
export const OF_PEOPLE: ReadonlySet<string> = new Set(['account', 'account, by address', 'passkey', 'passkey, listed']);

export const isOfWork = ({ type }: Pick<RecognizedRow, 'type'>): boolean => type.startsWith('due ');

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the row for the archive. Calls `setAgain` for each secret that has to be set again after an import. */
export function withoutSecrets(type: string, row: Row, setAgain: (secret: SetAgain) => void): Row {
  if (type === 'webhook') {
    const secrets = row['secrets'];
    const webhook = { id: text(row['hookId']), name: text(row['label']) || text(row['url']) };
    if (Array.isArray(secrets) && secrets.length > 0) setAgain({ what: 'signing secret of a webhook', ...webhook });
    if (text(row['headers']) !== '') setAgain({ what: 'headers of a webhook', ...webhook });
    return { ...row, secrets: [], headers: null };
  }
  if (type === 'notification')
    setAgain({
      what: 'credential of a notification',
      id: text(row['hookId']),
      name: text(row['repository']) || text(row['kind']),
    });
  if (type === 'integration')
    setAgain({
      what: 'credential of an issue tracker',
      id: text(row['integrationId']),
      name: text(row['name']),
    });
  return row;
}

/**
 * Returns the row of the organization for the archive, without the secret of its cursors, which each deployment makes
 * for itself, and without its deletion. The row stays deactivated only if the organization was deactivated before it
 * was deleted.
 */
export function archivedOrganization(row: Attributes): Attributes {
  const { cursorSecret, deletesAt, reactivates, deactivatedAt, pk, sk, ...kept } = row;
  return { ...kept, ...(reactivates || deactivatedAt === undefined ? {} : { deactivatedAt }) };
}
