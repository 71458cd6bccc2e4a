import { describe, expect, test } from 'vitest';
import { type Actor, makePerson, OPERATOR } from '#shared/access/actor.ts';
import { hashToken } from '#shared/access/token.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { listApiKeys } from '#shared/organizations/list-api-keys.ts';
import { listPersonalTokens } from '#shared/organizations/list-personal-tokens.ts';
import { changeRole } from '#shared/organizations/members.ts';
import { revokePersonalToken } from '#shared/organizations/personal-tokens.ts';
import { member, token } from '#test/harness/people.ts';
import { clock, service, type Tenant, type TestService } from '#test/harness/service.ts';

type Stage = TestService & Tenant;
const DAY = 24 * 60 * 60 * 1000;
const list = ({ services, organizationId }: Stage, actor: Actor) =>
  listPersonalTokens(services, { organizationId, actor });

describe('§5.2 The list of tokens', () => {
  test('The list of tokens shows access, creation, expiry, last use and state, but no credential', async () => {
    const stage = await service();
    const { organizationId } = stage;
    const writes = await token(stage, { permissions: ['runs:write'], name: 'CI', description: 'Nightly' });
    await writes.api.get('/me');
    clock.advance(DAY);
    const { tokenId, owner, value } = await token(stage, { permissions: ['results:read'], lifetime: '7d' });
    const [first, second, ...more] = await list(stage, OPERATOR);
    expect(more).toEqual([]);
    const common = { organizationId, organization: 'Acme', state: 'live' };
    expect(first).toEqual({
      ...common,
      tokenId: writes.tokenId,
      accountId: writes.owner.accountId,
      name: 'CI',
      description: 'Nightly',
      permissions: ['runs:write'],
      access: 'write',
      lastFour: writes.value.slice(-4),
      createdAt: Date.parse('2026-11-02T10:00:00Z'),
      validUntil: Date.parse('2026-12-02T23:59:59.999Z'),
      lastUsedAt: Date.parse('2026-11-02T10:00:00Z'),
    });
    expect(second).toEqual({
      ...common,
      tokenId,
      accountId: owner.accountId,
      name: 'laptop',
      description: null,
      permissions: ['results:read'],
      access: 'read',
      lastFour: value.slice(-4),
      createdAt: Date.parse('2026-11-03T10:00:00Z'),
      validUntil: Date.parse('2026-11-10T23:59:59.999Z'),
    });
  });

  test('A token is listed as live until its last day ends and as expired afterwards, unless it was revoked', async () => {
    const stage = await service();
    const created = await token(stage);
    const other = await token(stage);
    const states = async () => new Map((await list(stage, OPERATOR)).map(({ tokenId, state }) => [tokenId, state]));
    clock.set('2026-12-02T23:59:59.999Z');
    expect([...(await states()).values()]).toEqual(['live', 'live']);
    clock.advance(1);
    await revokePersonalToken(stage.services, { ...stage, tokenId: created.tokenId, actor: OPERATOR });
    const expected = [
      [created.tokenId, 'revoked'],
      [other.tokenId, 'expired'],
    ] as const;
    expect(await states()).toEqual(new Map(expected));
  });

  test('The list of tokens shows members only their own tokens and Admins all tokens, and marks the token of a demoted owner as live', async () => {
    const stage = await service();
    const kim = await token(stage);
    const sam = await token(stage);
    const guest = await member(stage, 'guest');
    const { organizationId } = stage;
    const membership = { organizationId, accountId: kim.owner.accountId, actor: OPERATOR };
    await changeRole(stage.services, { ...membership, role: 'guest' });
    const seenBy = async (actor: Actor) =>
      (await list(stage, actor)).map(({ tokenId, state }) => `${tokenId} ${state}`);
    expect(await seenBy(makePerson(kim.owner))).toEqual([`${kim.tokenId} live`]);
    expect(await seenBy(makePerson(guest))).toEqual([]);
    for (const actor of [OPERATOR, makePerson(sam.owner)]) {
      expect(new Set(await seenBy(actor))).toEqual(new Set([`${kim.tokenId} live`, `${sam.tokenId} live`]));
    }
  });
});

describe('§5.1 API keys', () => {
  test('API keys are listed with label, level and last four characters, never with their hash or value', async () => {
    const { services, organizationId } = await service();
    const question = { organizationId, actor: OPERATOR };
    clock.advance(1000);
    const { value, ...key } = await createApiKey(services, { ...question, label: ' Laptop ', level: 'readOnly' });
    const keys = await listApiKeys(services, question);
    expect(keys).toHaveLength(3);
    expect(keys[2]).toEqual(key);
    expect(key).toMatchObject({ label: 'Laptop', level: 'readOnly', lastFour: value.slice(-4) });
    expect(JSON.stringify(keys)).not.toContain(hashToken(value));
  });

  test.each(['', ' ', 'x'.repeat(129), 'a\nb'])('An API key with the label %j is refused', async (label) => {
    const { services, organizationId } = await service();
    const made = createApiKey(services, { organizationId, actor: OPERATOR, label, level: 'readOnly' });
    await expect(made).rejects.toThrow('The label of a key must be one line of 1 to 128 characters');
  });
});
