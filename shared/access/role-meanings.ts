/** §5 What each role may do, in a line, for people who give a role to somebody. A test compares it with `ACTIONS`. */
import type { Role } from '#shared/model/organizations/membership.ts';

export const ROLE_MEANINGS: Readonly<Record<Role, string>> = {
  admin: 'Also manages people, API keys, projects, webhooks and issue trackers, and reads the audit log',
  actionsAdmin: 'Also creates and changes rules, which quarantine, skip and tag tests',
  member:
    'Also sees analytics, rules, API keys and usage, creates issues, shares results, and cancels and deletes runs',
  guest: 'Sees projects, results and members, and changes nothing',
};
