/** Decides which rows of an organization an archive contains, and leaves out their secrets. */
import type { Attributes } from '#shared/engine/table/entity.ts';
import type { SetAgain } from './archive-format.ts';
import { IMPORTABLE } from './importable-rows.ts';
import type { RecognizedRow } from './row-owner.ts';
import type { Row } from './table-scan.ts';

export const isOfWork = ({ type }: Pick<RecognizedRow, 'type'>): boolean => type.startsWith('due ');

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Returns the row for the archive, without secrets and without what an import does not set. Calls `setAgain` for each
 * secret that has to be set again after an import.
 */
export function archivedRow(type: string, { pk, sk, ...row }: Row, setAgain: (secret: SetAgain) => void): Row {
  const kept = { pk, sk, ...IMPORTABLE.get(type)?.exported(row) };
  if (type === 'webhook') {
    const secrets = row['secrets'];
    const webhook = { id: text(row['hookId']), name: text(row['label']) || text(row['url']) };
    if (Array.isArray(secrets) && secrets.length > 0) setAgain({ what: 'signing secret of a webhook', ...webhook });
    if (text(row['headers']) !== '') setAgain({ what: 'headers of a webhook', ...webhook });
    return { ...kept, secrets: [], headers: null };
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
  return kept;
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
