import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { listPersonalTokens } from '#shared/organizations/list-personal-tokens.ts';
import { member, token } from '#test/harness/people.ts';
import { clock, service } from '#test/harness/service.ts';

const made = async (permissions: string[]) => {
  const stage = await service();
  await token(stage, { permissions });
  return (await listPersonalTokens(stage.services, { ...stage, actor: OPERATOR }))[0]?.permissions;
};

/** Creates a token at this time and returns its expiry. */
const endsAt = async (now: string, lifetime?: string) => {
  const stage = await service();
  clock.set(now);
  await token(stage, lifetime === undefined ? {} : { lifetime });
  const [{ validUntil } = { validUntil: 0 }] = await listPersonalTokens(stage.services, { ...stage, actor: OPERATOR });
  return new Date(validUntil).toISOString();
};

describe('§5.2 Creating a personal access token', () => {
  test.each([
    ['projects:write', ['projects:read', 'projects:write']],
    ['actions:write', ['actions:read', 'actions:write']],
    ['webhooks:write', ['webhooks:read', 'webhooks:write']],
    ['issues:write', ['issues:write']],
    ['runs:write', ['runs:write']],
    ['results:read', ['results:read']],
    ['analytics:read', ['analytics:read']],
  ])('The requested permission %s grants %j', async (permission, expected) => {
    expect(await made([permission])).toEqual(expected);
  });

  test.each([
    ['2026-11-02T10:00:00Z', undefined, '2026-12-02T23:59:59.999Z'],
    ['2026-11-02T00:00:00Z', '7d', '2026-11-09T23:59:59.999Z'],
    ['2026-11-02T23:59:59Z', '60d', '2027-01-01T23:59:59.999Z'],
    ['2026-11-02T10:00:00Z', '90d', '2027-01-31T23:59:59.999Z'],
    ['2026-11-02T10:00:00Z', '1y', '2027-11-02T23:59:59.999Z'],
    ['2028-02-29T10:00:00Z', '1y', '2029-02-28T23:59:59.999Z'],
    ['2026-11-02T10:00:00Z', '2026-11-03', '2026-11-03T23:59:59.999Z'],
    ['2026-11-02T10:00:00Z', '2027-11-02', '2027-11-02T23:59:59.999Z'],
  ])('A token created at %s with lifetime %s (default: 30d) expires at %s', async (now, lifetime, expected) => {
    expect(await endsAt(now, lifetime)).toBe(expected);
  });

  test.each([
    [{ lifetime: '2026-11-02' }, 'The lifetime of a token must be'],
    [{ lifetime: '2027-11-03' }, 'The lifetime of a token must be'],
    [{ lifetime: '2027-02-30' }, 'The lifetime of a token must be'],
    [{ lifetime: '2y' }, 'The lifetime of a token must be'],
    [{ lifetime: '' }, 'The lifetime of a token must be'],
    [{ lifetime: '7days' }, 'The lifetime of a token must be'],
    [{ lifetime: '37d' }, 'The lifetime of a token must be'],
    [{ lifetime: '2026-11-101' }, 'The lifetime of a token must be'],
    [{ lifetime: '12026-11-10' }, 'The lifetime of a token must be'],
    [{ permissions: [] }, 'at least one permission'],
    [{ permissions: ['results:read', 'openid'] }, `Unknown permission "openid". Send one or more of projects:read, `],
    [{ permissions: ['shares:write'] }, 'Unknown permission "shares:write"'],
    [{ name: ' ' }, '1 to 64 characters'],
    [{ name: 'x'.repeat(65) }, '1 to 64 characters'],
    [{ description: 'x'.repeat(257) }, 'at most 256 characters'],
  ])('Creating a token with %j is refused, and the error says what to send', async (inputs, problem) => {
    const stage = await service();
    await expect(token(stage, inputs)).rejects.toThrow(problem);
    expect(await listPersonalTokens(stage.services, { ...stage, actor: OPERATOR })).toEqual([]);
  });

  test.each(['actionsAdmin', 'member', 'guest'] as const)(
    'Creating a personal access token is refused for the role %s',
    async (role) => {
      const stage = await service();
      const owner = await member(stage, role);
      await expect(token(stage, { owner })).rejects.toThrow('Only an Admin');
    },
  );
});
