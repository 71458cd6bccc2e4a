/** §5 The command that lists audit records. */

import { readAudit } from '#shared/organizations/read-audit.ts';
import { makeAddressLookup } from './account-lookup.ts';
import { command } from './command.ts';
import { numberOption, optional, organization, textOption } from './options.ts';
import { formatTimeCell } from './screen.ts';

export const AUDIT = [
  command({
    name: 'audit list',
    does: 'list the audit records of an organization, newest first',
    options: {
      organization,
      limit: optional(numberOption('number of records, 1 to 50, 10 by default')),
      'starting-after': optional(textOption('<cursor>', 'continue after the record with this cursor')),
    },
    run: async ({ services, actor }, { organization: organizationId, limit, 'starting-after': startingAfter }) => {
      const { records } = await readAudit(services, { organizationId, actor, limit, startingAfter });
      const addressOf = await makeAddressLookup(
        services,
        records.flatMap(({ actor, subject }) => [actor, subject]),
      );
      return records.map(({ at, actor, action, subject, label = '', detail, imported, cursor }) => ({
        at: formatTimeCell(at),
        actor: addressOf(actor),
        action,
        name: label,
        subject: addressOf(subject),
        detail,
        imported: imported === true,
        cursor,
      }));
    },
  }),
];
