/** §5 One-time sign-in links, with which people sign in to the dashboard. */
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { createSignInLink } from '#shared/sign-in/links.ts';
import { command } from './command.ts';
import { email, number, optional, text } from './options.ts';
import { timeOf } from './rows.ts';

export const ACCOUNTS = [
  command({
    name: 'accounts link',
    does: 'create a one-time sign-in link; an earlier one of the account stops working',
    options: {
      email: email('address of the account'),
      minutes: optional(number('lifetime of the link, 15 by default')),
      origin: optional(text('<URL>', 'origin of the service; known for the local one')),
    },
    run: async ({ services, actor }, { email, minutes, origin = process.env[ENVIRONMENT.publicOrigin] ?? '' }) => {
      const { secret, expiresAt } = await createSignInLink(services, { actor, email, minutes });
      return [{ email, link: `${origin}/sign-in/link#${secret}`, validUntil: timeOf(expiresAt * 1000) }];
    },
    advice: () => 'Anyone who has the link can sign in with it. Send it over a private channel.',
  }),
];
