/** §5 The audit record. */
import { readAudit } from '#shared/organizations/read-audit.ts';
import { command } from './command.ts';
import { number, optional, organization, text } from './options.ts';
import { addressesOf, timeOf } from './rows.ts';

export const AUDIT = [
  command({
    name: 'audit list',
    does: 'list what was changed in an organization, by whom and when, newest first',
    options: {
      organization,
      limit: optional(number('how many, from 1 to 50; 10 unless said otherwise')),
      'starting-after': optional(text('<cursor>', 'goes on after the record with this cursor')),
    },
    run: async ({ services, actor }, { organization: organizationId, limit, 'starting-after': startingAfter }) => {
      const { records } = await readAudit(services, { organizationId, actor, limit, startingAfter });
      const addressOf = await addressesOf(
        services,
        records.flatMap(({ actor, subject }) => [actor, subject]),
      );
      return records.map(({ at, actor, action, subject, detail, cursor }) => ({
        at: timeOf(at),
        actor: addressOf(actor),
        action,
        subject: addressOf(subject),
        detail,
        cursor,
      }));
    },
  }),
];
