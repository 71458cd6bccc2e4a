/** All commands, in the order of the usage text. */
import { ACCOUNTS } from './accounts.ts';
import { ANALYTICS } from './analytics.ts';
import { AUDIT } from './audit.ts';
import type { Command } from './command.ts';
import { FILES } from './files.ts';
import { GRANTS } from './grants.ts';
import { INVITATIONS } from './invitations.ts';
import { KEYS } from './keys.ts';
import { MEMBERS } from './members.ts';
import { NOTIFICATIONS } from './notifications.ts';
import { ORGANIZATION_LIFE } from './organization-life.ts';
import { ORGANIZATIONS } from './organizations.ts';
import { OUTBOX } from './outbox.ts';
import { PROJECTS } from './projects.ts';
import { SETTINGS } from './settings.ts';
import { TOKENS } from './tokens.ts';

export const COMMANDS: readonly Command[] = [
  ...ORGANIZATIONS,
  ...ORGANIZATION_LIFE,
  ...ACCOUNTS,
  ...MEMBERS,
  ...INVITATIONS,
  ...PROJECTS,
  ...NOTIFICATIONS,
  ...SETTINGS,
  ...KEYS,
  ...TOKENS,
  ...GRANTS,
  ...AUDIT,
  ...OUTBOX,
  ...ANALYTICS,
  ...FILES,
];
