/** Tests attacks with the secret of a share, and with guessed secrets. */
import { describe, expect, test } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import { createSecret } from '#shared/access/token.ts';
import { readShare } from '#shared/shares/open-share.ts';
import { authorized, goodRequest, sampleWorld } from '#test/engine/http/sample-requests.ts';
import { send } from '#test/engine/http/wire.ts';
import { accessToken } from '#test/harness/access-tokens.ts';
import { cases } from '#test/harness/cases.ts';
import { service } from '#test/harness/service.ts';
import { visitor } from '#test/harness/visitor.ts';
import { declared, pageWorld } from '#test/pages/page-world.ts';

const operations = (await loadDeclarations())
  .map(({ declaration }) => declaration)
  .filter(({ credential }) => credential !== 'none');

async function sharedRun() {
  const stage = await service();
  const world = await sampleWorld(stage);
  const { api } = await accessToken(stage);
  const create = async () => {
    const { url, shareId } = (await api.post('/shares', { runId: world.runId })).body.data;
    return { secret: String(url.split('#')[1]), shareId: String(shareId) };
  };
  return { ...stage, world, api, create };
}

describe('The secret of a share', () => {
  test('is refused with 401 by every operation that requires a credential', async () => {
    const { origin, world, create } = await sharedRun();
    const { secret } = await create();
    for (const declaration of operations) {
      const request = goodRequest(declaration, { ...world, keys: { readOnly: secret, readWrite: secret } });
      const { status } = await send(origin, authorized(declaration, request, secret));
      expect(status, declaration.operationId).toBe(401);
    }
  });

  test('opens no page that requires a sign-in', async () => {
    const world = await pageWorld();
    const { api } = await accessToken(world);
    const secret = (await api.post('/shares', { runId: world.runId })).body.data.url.split('#')[1];
    const outsider = visitor(world.origin, `__Host-rundown-share=${secret}`);
    const asSession = visitor(world.origin, `__Host-rundown-session=${secret}`);
    for (const page of declared.filter(({ needs }) => needs !== 'public' && needs !== 'visitor')) {
      for (const person of [outsider, asSession]) {
        const path = world.pathOf(page);
        const { status, headers } = await (page.method === 'GET' ? person.get(path) : person.post(path));
        expect({ status, page: page.operationId, to: headers.get('location')?.split('?')[0] }).toEqual({
          status: 303,
          page: page.operationId,
          to: '/sign-in',
        });
      }
    }
  });

  test('stops working when the share is revoked, even if the share was opened before', async () => {
    const { origin, api, create } = await sharedRun();
    const all = await Promise.all(Array.from({ length: cases(2, 10) }, create));
    const read = (secret: string) =>
      send(origin, { method: 'GET', path: '/v1/shared', headers: [['authorization', `Bearer ${secret}`]] });
    for (const { secret } of all) expect((await read(secret)).status).toBe(200);
    for (const { shareId } of all) await api.send('DELETE', `/shares/${shareId}`);
    for (const { secret } of all) expect((await read(secret)).status).toBe(404);
  });

  test('A randomly guessed secret opens no share, and a secret with a wrong checksum is refused without reading the table', async () => {
    const { services, create } = await sharedRun();
    const table = services.table.metered();
    const opens = async (secret: string) =>
      readShare({ ...services, table }, secret).then(
        () => true,
        () => false,
      );
    expect(await opens((await create()).secret)).toBe(true);
    for (let guess = 0; guess < cases(2000, 200); guess += 1) {
      const secret = createSecret('rdn_shr');
      const last = secret.at(-1) === '0' ? '1' : '0';
      expect(await opens(secret)).toBe(false);
      const { trips } = table.meter;
      expect(await opens(secret.slice(0, -1) + last)).toBe(false);
      expect(table.meter.trips).toBe(trips);
    }
  });
});
