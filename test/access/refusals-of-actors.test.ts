import { describe, expect, test } from 'vitest';
import { type Actor, CLEAN_UP, OPERATOR } from '#shared/access/actor.ts';
import { findRefusal, listEffectivePermissions, requirePermission } from '#shared/access/may.ts';
import { createSecret, isSecret } from '#shared/access/token.ts';
import { ROLES, type Role } from '#shared/model/organizations/membership.ts';
import { isWrite, SCOPES } from '#shared/model/organizations/permissions.ts';
import { getPossibleDays } from '#shared/organizations/token-expiry.ts';
import { CEILINGS } from './oracle.ts';

const person = (role?: Role): Actor => ({ kind: 'person', accountId: 'a', ...(role ? { role } : {}) });
const OF = { organizationId: 'o', accountId: 'a', tokenId: 't', clientId: 'c' };

describe('The refusal of an action', () => {
  test.each([
    ['only an Admin may perform it', 'apiKeys:create', person('member'), 'adminOnly'],
    ['the role of the person does not allow it', 'runs:write', person('guest'), 'insufficientRole'],
    ['only the operator may perform it', 'members:add', person('admin'), 'operatorOnly'],
    ['only the operator may perform it, also if a background job tried', 'members:add', CLEAN_UP, 'operatorOnly'],
    ['people may perform it only for themselves', 'tokens:create', OPERATOR, 'ownerOnly'],
    ['the role does not allow it, also if a person without a role tried', 'tokens:list', person(), 'insufficientRole'],
  ] as const)('says that %s', (_, action, actor, denial) => {
    expect(findRefusal(actor, action)).toEqual({ denial });
    expect(() => requirePermission(actor, action)).toThrow(expect.objectContaining({ statusCode: 403 }));
  });

  test('A permission check causes an internal error if the operation does not declare the permission', () => {
    const actor: Actor = { ...OF, kind: 'personalToken', permissions: [] };
    expect(findRefusal(actor, 'runs:write')).toEqual({ missing: 'runs:write' });
    expect(() => requirePermission(actor, 'runs:write')).toThrow(
      'The operation needs the permission runs:write, which it does not declare',
    );
  });
});

test.each(ROLES)('An access token with all scopes has exactly the permissions of the role %s', (role) => {
  const actor = { ...OF, kind: 'accessToken', permissions: SCOPES, role } as const;
  expect([...listEffectivePermissions(actor)].sort()).toEqual([...CEILINGS[role]].sort());
});

test('The scopes that count as write permissions are exactly those whose name ends in `:write`', () => {
  expect(SCOPES.filter(isWrite)).toEqual([
    'projects:write',
    'actions:write',
    'issues:write',
    'runs:write',
    'webhooks:write',
    'shares:write',
  ]);
});

test('A secret is accepted only with its own prefix and checksum', () => {
  const secret = createSecret('rdn_inv');
  expect(secret).toMatch(/^rdn_inv_[0-9A-Za-z]{42}$/);
  expect(isSecret('rdn_inv', secret)).toBe(true);
  const last = secret.at(-1) === '0' ? '1' : '0';
  const other = createSecret('rdn_lnk');
  const odd = ['', secret.slice(0, -1), `${secret}0`, secret.slice(0, -1) + last, `x${secret.slice(1)}`, other];
  for (const value of odd) expect(isSecret('rdn_inv', value), value).toBe(false);
  expect(isSecret('rdn_in', secret)).toBe(false);
  // This secret has a longer prefix and the right checksum.
  expect(isSecret('rdn_inv', createSecret('rdn_inv_a'))).toBe(false);
});

test('A token may expire tomorrow at the earliest, and in a year at the latest', () => {
  expect(getPossibleDays(Date.UTC(2026, 10, 23, 12))).toEqual({ first: '2026-11-24', last: '2027-11-23' });
  expect(getPossibleDays(Date.UTC(2028, 1, 29))).toEqual({ first: '2028-03-01', last: '2029-02-28' });
});
