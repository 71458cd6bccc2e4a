import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { hashToken } from '#shared/access/token.ts';
import { recordUse } from '#shared/access/verify.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { personalTokens } from '#shared/model/organizations/personal-token.ts';
import { listPersonalTokens } from '#shared/organizations/list-personal-tokens.ts';
import { type Token, token } from '#test/harness/people.ts';
import { clock, service, type Tenant, type TestService } from '#test/harness/service.ts';

type Stage = TestService & Tenant;
const DAY = 24 * 60 * 60 * 1000;

const projects = async ({ api }: Token) => (await api.get('/projects')).status;

describe('§5.2 The last use of a token', () => {
  const lastUse = async ({ services, organizationId }: Stage) =>
    (await listPersonalTokens(services, { organizationId, actor: OPERATOR }))[0]?.lastUsedAt;

  test('The last use of a token is recorded at most once every ten minutes', async () => {
    const stage = await service();
    const created = await token(stage);
    expect(await lastUse(stage)).toBeUndefined();
    await projects(created);
    const first = await lastUse(stage);
    expect(first).toBe(Date.parse('2026-11-02T10:00:00Z'));
    clock.advance(10 * 60 * 1000 - 1);
    await projects(created);
    expect(await lastUse(stage)).toBe(first);
    clock.advance(1);
    await projects(created);
    expect(await lastUse(stage)).toBe(Date.parse('2026-11-02T10:10:00Z'));
  });

  test('Recording the last use does not recreate a token that was deleted after it was checked', async () => {
    const { services, ...stage } = await service();
    const key = { hash: hashToken((await token({ services, ...stage })).value) };
    const checked = await services.table.get(personalTokens, key, { consistent: true });
    if (!checked) throw new Error('The token has no row');
    await services.table.writeMany([remove(personalTokens, key)]);
    await recordUse(services, checked);
    expect(await services.table.get(personalTokens, key, { consistent: true })).toBeUndefined();
  });

  test('The last use of a token is not recorded by an operation that accepts only API keys', async () => {
    const stage = await service();
    const created = await token(stage);
    const answer = await created.api.post('/runs', {
      recordKey: created.value,
      ciBuildId: 'a',
      projectId: stage.projectId,
    });
    expect(answer.status).toBe(403);
    expect(await lastUse(stage)).toBeUndefined();
  });

  test('The last use of an expired token is not recorded', async () => {
    const stage = await service();
    const created = await token(stage);
    clock.advance(31 * DAY);
    expect(await projects(created)).toBe(401);
    expect(await lastUse(stage)).toBeUndefined();
  });
});
