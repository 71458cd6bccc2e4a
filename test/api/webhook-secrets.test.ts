import { describe, expect, test } from 'vitest';
import { webhooks } from '#shared/model/events/webhook.ts';
import { clock, service } from '#test/harness/service.ts';

const SECRET = /^whsec_[0-9A-Za-z+/]{43}=$/;
const DAY = 86_400_000;

async function stage(input: object = {}) {
  const tenant = await service();
  const { api, services, organizationId, projectId } = tenant;
  const url = 'https://receiver.invalid/hook';
  const created = (await api.post(`/webhooks?projectId=${projectId}`, { url, ...input })).body.data;
  const path = `/webhooks/${created.hookId}`;
  const rotate = async (): Promise<string> => (await api.send('POST', `${path}/secret`)).body.data.signingSecret;
  const stored = async () =>
    (await services.table.get(webhooks, { organizationId, hookId: created.hookId }, { consistent: true }))?.secrets;
  return { ...tenant, created, path, rotate, stored };
}

describe('The signing secret of a webhook', () => {
  test('A signing secret is shown only once, when it is created', async () => {
    const { created, reader, api, path, stored } = await stage({ signed: true });
    expect(created).toMatchObject({ signed: true, signingSecret: expect.stringMatching(SECRET) });
    expect(await stored()).toEqual([{ value: created.signingSecret }]);
    const { signingSecret, ...shown } = created;
    expect((await reader.get(path)).body.data).toEqual(shown);
    expect((await reader.get(`/webhooks?projectId=${created.projectId}`)).body.data).toEqual([shown]);
    expect(JSON.stringify((await api.put(path, { label: 'Chat' })).body)).not.toContain('whsec_');
  });

  test('The first rotation creates the signing secret of an unsigned webhook', async () => {
    const { created, path, reader, rotate, stored } = await stage();
    expect(created).not.toHaveProperty('signingSecret');
    const secret = await rotate();
    expect(secret).toMatch(SECRET);
    expect(await stored()).toEqual([{ value: secret }]);
    expect((await reader.get(path)).body.data.signed).toBe(true);
  });

  test('A signing secret stays valid for one day after it is replaced, even if the secret is rotated again meanwhile', async () => {
    const { created, rotate, stored } = await stage({ signed: true });
    const second = await rotate();
    const first = { value: created.signingSecret, expiresAt: Date.now() + DAY };
    expect(await stored()).toEqual([{ value: second }, first]);
    clock.advance(DAY - 1);
    const third = await rotate();
    expect(await stored()).toEqual([{ value: third }, { value: second, expiresAt: Date.now() + DAY }, first]);
    clock.advance(1);
    const fourth = await rotate();
    expect((await stored())?.map(({ value }) => value)).toEqual([fourth, third, second]);
  });

  test('Concurrent rotations lose no signing secret: each returned secret is kept', async () => {
    const { rotate, stored } = await stage();
    const shown = await Promise.all([rotate(), rotate(), rotate()]);
    expect(new Set((await stored())?.map(({ value }) => value))).toEqual(new Set(shown));
  });

  test('A webhook keeps its current secret and at most three older secrets, however many times the secret is rotated', async () => {
    const { rotate, stored } = await stage();
    const shown: string[] = [];
    for (let made = 0; made < 6; made += 1) shown.unshift(await rotate());
    expect((await stored())?.map(({ value }) => value)).toEqual(shown.slice(0, 4));
  });

  test('Deleting the signing secret takes effect immediately and also deletes the older secrets', async () => {
    const { api, path, rotate, stored, created } = await stage({ signed: true });
    await rotate();
    const { hookId } = created;
    for (const time of [1, 2]) {
      const answer = await api.send('DELETE', `${path}/secret`);
      expect(answer, `${time}`).toMatchObject({ status: 200, body: { status: 'OK', data: { hookId } } });
      expect(await stored()).toEqual([]);
    }
    expect((await api.get(path)).body.data.signed).toBe(false);
  });
});
