import { describe, expect, test } from 'vitest';
import { refusalOf } from '#shared/credentials/authorize.ts';
import { refusalFor } from '#shared/credentials/caller.ts';
import { PERMISSIONS } from '#shared/resources/permissions.ts';
import { connectVerifier } from '#shared/services.ts';
import { claimsOf, signed } from '#test/harness/issuer.ts';
import { member } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';
import { CEILINGS } from './oracle.ts';

const ROLES = ['guest', 'member', 'actionsAdmin', 'admin'] as const;

/** The callers behind a Read & Write key and an access token of every scope, of a member with this role. */
async function callers(role: (typeof ROLES)[number]) {
  const stage = await service();
  const { accountId } = await member(stage, role);
  const scope = PERMISSIONS.join(' ');
  const value = await signed(claimsOf(stage.issuer, stage, accountId, { scope }), stage.issuer.key);
  const verifier = connectVerifier({ OAUTH_ISSUER: stage.issuer.issuer, PUBLIC_ORIGIN: stage.origin })();
  const holder = await verifier.verify(stage.services, value);
  const key = await verifier.verify(stage.services, stage.keys.readWrite);
  if (!holder || !key) throw new Error('A good credential was not accepted');
  return { holder, key };
}

describe('§5.3 An access token with every scope', () => {
  test.each(ROLES)('does what the role %s permits today, and "insufficient_role" is the rest', async (role) => {
    const { holder } = await callers(role);
    const permitted: readonly string[] = CEILINGS[role];
    for (const permission of PERMISSIONS) {
      const expected = permitted.includes(permission) ? undefined : { denial: 'insufficientRole' };
      expect(refusalOf(holder, { permission, callers: ['accessToken'] }), permission).toEqual(expected);
    }
  });

  test('is refused for its holder’s role with a code and without a challenge', () => {
    const { statusCode, details } = refusalFor('insufficientRole');
    expect({ statusCode, details }).toEqual({ statusCode: 403, details: { code: 'insufficient_role' } });
  });

  test('records nothing, even where an operation let its kind in', async () => {
    const { holder } = await callers('admin');
    for (const permission of ['record', 'public'] as const) {
      expect(refusalOf(holder, { permission, callers: ['accessToken'] })).toEqual({ denial: 'apiKeyRequired' });
    }
  });
});

describe('§5.4 A caller of a kind that an operation does not take', () => {
  test('is told which kind it takes, whatever it may do', async () => {
    const { holder, key } = await callers('admin');
    const people = { permission: 'anyCredential', callers: ['personalToken', 'accessToken'] } as const;
    expect(refusalOf(key, people)).toEqual({ denial: 'userCredentialRequired' });
    const machines = { permission: 'results:read', callers: ['apiKey'] } as const;
    expect(refusalOf(holder, machines)).toEqual({ denial: 'apiKeyRequired' });
  });
});
