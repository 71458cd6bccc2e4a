import { expect, test } from 'vitest';
import { ACTIONS, type OrganizationAction } from '#shared/access/actions.ts';
import { ROLE_MEANINGS } from '#shared/access/role-meanings.ts';
import { ROLES, type Role } from '#shared/model/organizations/membership.ts';

/** By hand: the actions that each phrase promises. "Also" means that no less powerful role may take them. */
const PROMISES: readonly (readonly [Role, string, readonly OrganizationAction[]])[] = [
  ['guest', 'Sees projects, results and members', ['projects:read', 'results:read', 'members:list']],
  [
    'member',
    'Also sees analytics, rules, API keys and usage',
    ['analytics:read', 'actions:read', 'apiKeys:list', 'usage:read'],
  ],
  [
    'member',
    'creates issues, shares results, and cancels and deletes runs',
    ['issues:write', 'shares:write', 'runs:write'],
  ],
  ['actionsAdmin', 'Also creates and changes rules', ['actions:write']],
  ['admin', 'Also manages people', ['invitations:create', 'members:changeRole', 'members:remove']],
  [
    'admin',
    'API keys, projects, webhooks and issue trackers',
    ['apiKeys:create', 'apiKeys:delete', 'projects:write', 'webhooks:write', 'integrations:change'],
  ],
  ['admin', 'reads the audit log', ['audit:read']],
];

test('The line that explains a role promises what the role may do, and no less powerful role may', () => {
  for (const [role, phrase, actions] of PROMISES) {
    expect(ROLE_MEANINGS[role]).toContain(phrase);
    const allowed = ROLES.slice(0, ROLES.indexOf(role) + 1);
    for (const action of actions) expect([action, ACTIONS[action].roles]).toEqual([action, allowed]);
  }
});

test('A guest changes nothing in an organization but their own access', () => {
  const open = Object.entries(ACTIONS).flatMap(([action, rule]) =>
    'audit' in rule && (rule.roles as readonly Role[]).includes('guest') ? action : [],
  );
  expect(open.sort()).toEqual(['companySignIn:connect', 'grants:give', 'members:leave', 'tokens:revokeOwn']);
});
