import { describe, expect, test } from 'vitest';
import { listPersonalTokens } from '#shared/credentials/list-personal-tokens.ts';
import { hashToken } from '#shared/credentials/token.ts';
import { OPERATOR } from '#shared/organizations/actor.ts';
import { personalTokens } from '#shared/resources/personal-token.ts';
import { remove } from '#shared/table/writes.ts';
import { type Token, token } from '#test/harness/people.ts';
import { clock, service, type Tenant, type TestService } from '#test/harness/service.ts';

type Stage = TestService & Tenant;
const DAY = 24 * 60 * 60 * 1000;

const projects = async ({ api }: Token) => (await api.get('/projects')).status;

describe('§5.2 The last use of a token', () => {
  const lastUse = async ({ services, organizationId }: Stage) =>
    (await listPersonalTokens(services, { organizationId, actor: OPERATOR }))[0]?.lastUsedAt;

  test('is noted at most every ten minutes', async () => {
    const stage = await service();
    const one = await token(stage);
    expect(await lastUse(stage)).toBeUndefined();
    await projects(one);
    const first = await lastUse(stage);
    expect(first).toBe(Date.parse('2026-11-02T10:00:00Z'));
    clock.advance(10 * 60 * 1000 - 1);
    await projects(one);
    expect(await lastUse(stage)).toBe(first);
    clock.advance(1);
    await projects(one);
    expect(await lastUse(stage)).toBe(Date.parse('2026-11-02T10:10:00Z'));
  });

  test('never brings back a token that is gone', async () => {
    const stage = await service();
    const one = await token(stage);
    const key = { hash: hashToken(one.value) };
    const requests = Array.from({ length: 20 }, () => projects(one));
    await stage.services.table.writeMany([remove(personalTokens, key)]);
    await Promise.all(requests);
    expect(await stage.services.table.get(personalTokens, key, { consistent: true })).toBeUndefined();
  });

  test('is not noted for a token that is refused', async () => {
    const stage = await service();
    const one = await token(stage);
    clock.advance(31 * DAY);
    expect(await projects(one)).toBe(401);
    expect(await lastUse(stage)).toBeUndefined();
  });
});
