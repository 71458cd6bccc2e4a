/** §5 The command that creates one-time sign-in links for the dashboard. */

import { describeOrigin } from '#shared/organizations/unproven-account.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { createSignInLink } from '#shared/sign-in/links.ts';
import { type CommandRow, command } from './command.ts';
import { email, numberOption, optional, textOption } from './options.ts';
import { formatTimeCell } from './screen.ts';
import { UsageError } from './terminal/usage-error.ts';

const REVOCATION_NOTICE =
  ' This address was not verified before, so all sessions, passkeys, tokens, applications and invitations of the account were revoked. Its name is now the one of --name, or the part of the address before the @.';

export const ACCOUNTS = [
  command({
    name: 'accounts link',
    does: 'create a one-time sign-in link, which also verifies the address; an earlier link stops working',
    options: {
      email: email('address of the account'),
      organization: optional(
        textOption('<id>', 'id of the organization whose company sign-in or directory created the account'),
      ),
      name: optional(textOption('<name>', 'name of the person from now on')),
      minutes: optional(numberOption('lifetime of the link in minutes, 15 by default')),
      origin: optional(textOption('<URL>', 'origin of the service: stack output DashboardUrl; needed with --table')),
    },
    run: async (
      { services, actor },
      { email, organization: organizationId, name, minutes, origin = process.env[ENVIRONMENT.publicOrigin] },
    ) => {
      // Checked before the link is created, because creating a link ends the earlier one.
      if (!origin) throw new UsageError('Missing --origin. Pass the stack output DashboardUrl');
      const { secret, expiresAt, unproven } = await createSignInLink(services, {
        actor,
        email,
        organizationId,
        name,
        minutes,
      });
      const row: CommandRow = {
        email,
        link: `${origin}/sign-in/link#${secret}`,
        validUntil: formatTimeCell(expiresAt * 1000),
      };
      if (!unproven) return [row];
      return [{ ...row, made: await describeOrigin(services, unproven) }];
    },
    advice: ([row]) => {
      const notice = row?.['made'] ? REVOCATION_NOTICE : '';
      return `Anyone who has the link can sign in with it. Send it to ${row?.['email']} over a private channel.${notice}`;
    },
  }),
];
