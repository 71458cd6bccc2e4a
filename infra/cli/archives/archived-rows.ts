/** Decides which rows of an organization an archive contains, and leaves out their secrets. */
import type { SetAgain } from './archive-format.ts';
import { IMPORTABLE } from './importable-rows.ts';
import type { RecognizedRow } from './row-owner.ts';
import type { Row } from './table-scan.ts';

export const isOfWork = ({ type }: Pick<RecognizedRow, 'type'>): boolean => type.startsWith('due ');

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Leaves out secrets, for each of which it calls `setAgain`, and what an import does not set. */
export function toArchivedRow(type: string, { pk, sk, ...row }: Row, setAgain: (secret: SetAgain) => void): Row {
  const attributes = { pk, sk, ...IMPORTABLE.get(type)?.pickImportable(row) };
  if (type === 'webhook') {
    const secrets = row['secrets'];
    const webhook = { id: toText(row['hookId']), name: toText(row['label']) || toText(row['url']) };
    if (Array.isArray(secrets) && secrets.length > 0) setAgain({ what: 'signing secret of a webhook', ...webhook });
    if (toText(row['headers']) !== '') setAgain({ what: 'headers of a webhook', ...webhook });
    return { ...attributes, secrets: [], headers: null };
  }
  if (type === 'notification')
    setAgain({
      what: 'credential of a notification',
      id: toText(row['hookId']),
      name: toText(row['repository']) || toText(row['kind']),
    });
  if (type === 'integration')
    setAgain({
      what: 'credential of an issue tracker',
      id: toText(row['integrationId']),
      name: toText(row['name']),
    });
  return attributes;
}
