/** All commands, in the order of the usage text. */
import { ACCOUNTS } from './accounts.ts';
import { ANALYTICS } from './analytics.ts';
import { AUDIT } from './audit.ts';
import type { Command } from './command.ts';
import { CREDENTIALS } from './credentials.ts';
import { ORGANIZATION_DELETION } from './delete-organization.ts';
import { DOMAINS } from './domains.ts';
import { FILES } from './files.ts';
import { MEMBERS } from './members.ts';
import { ORGANIZATION_MOVES } from './move-organization.ts';
import { NOTIFICATIONS } from './notifications.ts';
import { ORGANIZATIONS } from './organizations.ts';
import { OUTBOX } from './outbox.ts';
import { PEOPLE } from './people.ts';
import { PROJECTS } from './projects.ts';
import { SETTINGS } from './settings.ts';
import { SIGN_IN } from './sign-in.ts';

export const COMMANDS: readonly Command[] = [
  ...ORGANIZATIONS,
  ...ORGANIZATION_MOVES,
  ...ORGANIZATION_DELETION,
  ...ACCOUNTS,
  ...SIGN_IN,
  ...DOMAINS,
  ...MEMBERS,
  ...PEOPLE,
  ...PROJECTS,
  ...NOTIFICATIONS,
  ...SETTINGS,
  ...CREDENTIALS,
  ...AUDIT,
  ...OUTBOX,
  ...ANALYTICS,
  ...FILES,
];
