import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import { Verifier } from '#shared/access/verify.ts';
import { Table } from '#shared/engine/table/table.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { apiKeys } from '#shared/model/organizations/api-key.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { accessToken } from '#test/harness/access-tokens.ts';
import { sampled } from '#test/harness/cases.ts';
import { client } from '#test/harness/client.ts';
import { NOBODY } from '#test/harness/issuer.ts';
import { token } from '#test/harness/people.ts';
import { runBody } from '#test/harness/recording-messages.ts';
import { logLines, service } from '#test/harness/service.ts';
import { unknownKey } from './engine/http/bad-credentials.ts';
import { authorized, goodRequest, SUITE, sampleOf, sampleWorld, takesKeys } from './engine/http/sample-requests.ts';
import type { Ids } from './engine/http/sample-shapes.ts';
import { comparable, send } from './engine/http/wire.ts';

const declarations = (await loadDeclarations()).map(({ declaration }) => declaration);
const idBearing = declarations
  .flatMap((declaration) =>
    sampleOf(declaration).ids.map((id) => [`${declaration.method} ${declaration.path}`, id, declaration] as const),
  )
  .map((one, row) => [...one, row] as const);

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

async function meet() {
  const own = await service();
  const neighbour = { ...own, ...(await own.tenant('Neighbour')) };
  const person = await accessToken(own);
  return { own, person, world: await sampleWorld(own), foreign: await sampleWorld(neighbour) };
}

let met: ReturnType<typeof meet> | undefined;
/** Two organizations with data, for tests whose requests only read or are refused, and therefore change nothing. */
const neighbours = () => (met ??= meet());

const shared = async () => (await neighbours()).own;

describe('§7 unknown routes and ids:', () => {
  test.each([
    'POST /v1',
    'GET /v1/',
    'GET /v1/projects/',
    'GET /v1//projects',
    'GET /v1/projects/a/b/c',
    'POST /V1/projects',
    'GET /v1/projects/a/runs/b',
    'POST /v1/test-records',
    'GET /v1/runs/%',
    'GET /.well-known/nothing',
  ])('%s returns 404 with and without a credential', async (route) => {
    const { origin, keys } = await shared();
    const [method = '', path = ''] = route.split(' ');
    for (const headers of [[], [['authorization', `Bearer ${keys.readOnly}`] as const]]) {
      const { status, body } = comparable(await send(origin, { method, path, headers }));
      expect({ status, body: JSON.parse(body) }).toEqual({
        status: 404,
        body: { status: 'FAILED', error: expect.stringContaining('No such operation') },
      });
    }
  });

  test('The base URL of the API returns the URL of the documentation, and /v1/docs redirects to the documentation', async () => {
    const { origin } = await shared();
    const documentation = `${origin}/v1/docs/openapi.json`;
    const index = await fetch(`${origin}/v1`);
    expect(index.headers.get('content-type')).toContain('application/json');
    expect(await index.json()).toMatchObject({ documentation, health: `${origin}/v1/health` });
    const docs = await fetch(`${origin}/v1/docs`, { redirect: 'manual' });
    expect([docs.status, docs.headers.get('location')]).toEqual([302, documentation]);
    expect((await fetch(documentation)).status).toBe(200);
    expect((await fetch(`${origin}/v1`, { method: 'POST' })).status).toBe(404);
  });

  test.each(idBearing)(
    '%s gives the same response to an unknown %s as to one that belongs to another organization',
    async (_, id, declaration, row) => {
      const { own, person, world, foreign } = await neighbours();
      const unknown: Ids = {
        organizationId: '0'.repeat(16),
        identityToken: '',
        projectId: 'zzzzzz',
        doomedProjectId: 'zzzzzz',
        runId: '0'.repeat(16),
        doomedRunId: '0'.repeat(16),
        endingRunId: '0'.repeat(16),
        sessionId: '0'.repeat(16),
        cacheKey: `${'0'.repeat(32)}.${'0'.repeat(24)}`,
        instanceId: '0'.repeat(32),
        recordId: '0'.repeat(44),
        recordingId: '0'.repeat(16),
        signature: '0'.repeat(32),
        actionId: '0'.repeat(24),
        doomedActionId: '0'.repeat(24),
        hookId: '00000000-0000-4000-8000-000000000000',
        doomedHookId: '00000000-0000-4000-8000-000000000000',
        deliveryId: `msg_${'0'.repeat(33)}`,
        importId: '0'.repeat(24),
        shareId: '0'.repeat(24),
        shareSecret: '',
        integrationId: `int_${'0'.repeat(24)}`,
        issueId: `${'0'.repeat(32)}-${'0'.repeat(12)}`,
        testId: '',
        trackerProjectId: '',
        issueTypeId: '',
        issueKey: '',
      };
      const ask = async (value: string) => {
        const request = goodRequest(declaration, { ...world, [id]: value });
        return comparable(
          await send(
            own.origin,
            authorized(declaration, request, takesKeys(declaration) ? own.keys.readWrite : person.value),
          ),
        );
      };
      const nothing = await ask(unknown[id]);
      expect(nothing).toMatchObject({ status: 404 });
      expect(JSON.parse(nothing.body)).toEqual({
        status: 'FAILED',
        error: expect.stringMatching(/^[\w ]+ not found$/),
      });
      const odd = ['x', '__proto__', `${foreign[id]}#RUN`, `${world[id]}\u0000`, '%', '../..'];
      for (const value of [foreign[id], ...sampled(odd, 6, row)]) expect(await ask(value)).toEqual(nothing);
    },
  );
});

describe('§5.4 credentials:', () => {
  test('the scheme in the Authorization header is case-insensitive', async () => {
    const { origin, keys } = await shared();
    for (const scheme of ['bearer', 'BEARER', 'Bearer']) {
      const headers = [['AUTHORIZATION', `${scheme} ${keys.readOnly}`]] as const;
      expect((await send(origin, { method: 'GET', path: '/v1/projects', headers })).status).toBe(200);
    }
  });

  test('a deleted key is refused immediately', async () => {
    const { api, services, keys } = await service();
    expect((await api.get('/projects')).status).toBe(200);
    const hash = hashOf(keys.readWrite);
    await services.table.writeMany([remove(apiKeys, { hash })]);
    expect((await api.get('/projects')).status).toBe(401);
  });

  test('a key that was stored before permission levels existed has Read & Write permission', async () => {
    const { api, services, keys, projectId } = await service();
    const hash = hashOf(keys.readWrite);
    const key = await services.table.get(apiKeys, { hash });
    if (!key) throw new Error('The test key is not stored under its hash');
    const { level, ...old } = key;
    await services.table.put({ ...apiKeys, store: () => old }, key);
    expect((await api.post('@/runs/v1', runBody(projectId, SUITE))).status).toBe(200);
  });

  test('a recording operation accepts a key in the X-Currents-Key header, but a Bearer credential takes precedence', async () => {
    const { origin, keys, projectId } = await service();
    const record = async (...headers: (readonly [string, string])[]) => {
      const body = JSON.stringify(runBody(projectId, SUITE));
      return (await send(origin, { method: 'POST', path: '/runs/v1', body, headers })).status;
    };
    const bearer = ['authorization', `Bearer ${keys.readWrite}`] as const;
    expect(await record(['x-currents-key', keys.readWrite])).toBe(200);
    expect(await record(['x-currents-key', unknownKey()], bearer)).toBe(200);
    expect(await record(['X-Currents-Key', keys.readWrite], ['authorization', 'Bearer nonsense'])).toBe(401);
    expect(await record(['x-currents-key', keys.readWrite], ['x-currents-key', keys.readWrite])).toBe(401);
    expect(await record(['x-currents-key', keys.readOnly])).toBe(403);
  });

  test('the REST API does not accept a key in the X-Currents-Key header of the reporters', async () => {
    const { origin, keys } = await shared();
    const headers = [['x-currents-key', keys.readWrite]] as const;
    expect((await send(origin, { method: 'GET', path: '/v1/projects', headers })).status).toBe(401);
  });

  test('If the database fails, checking a key throws the database error instead of reporting an invalid key', async () => {
    const { keys, services } = await shared();
    const broken = { ...services, table: new Table('no-such-table', services.now) };
    await expect(new Verifier(NOBODY).verify(broken, keys.readOnly)).rejects.toThrow(/not found|exist/i);
  });
});

describe('§7 internal errors:', () => {
  test('Internal errors return a general message and a request id, which identifies the log entry with the details', async () => {
    const { api, services, organizationId } = await service();
    await services.table.update(organizations, { organizationId }, { remove: ['cursorSecret'] });
    const { status, body, headers } = await api.get('/projects');
    expect({ status, body }).toEqual({
      status: 500,
      body: {
        status: 'FAILED',
        error: 'Internal error. Try again. If the error persists, give your operator the `requestId` of this response',
        requestId: headers.get('x-request-id'),
      },
    });
    const logged = logLines.filter((line) => line.includes(body.requestId) && line.includes('"name":"TypeError"'));
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('stack');
  });

  describe('a test whose handler throws', () => {
    const printed: string[] = [];
    const print = vi.spyOn(console, 'error');
    afterAll(() => print.mockRestore());

    // This test fails on purpose, and the next one reads what was printed below it.
    test.fails('fails', async () => {
      const { api, services, organizationId } = await service();
      await services.table.update(organizations, { organizationId }, { remove: ['cursorSecret'] });
      print.mockImplementation((text) => void printed.push(text));
      expect(await api.get('/projects')).toMatchObject({ status: 200 });
    });

    test('shows the error of the handler, with its functions and source files', () => {
      expect(printed).toHaveLength(1);
      const [text = ''] = printed;
      expect(text).toMatch(/^request: operationId "listProjects", requestId "[\w+/=]+", statusCode 500\nTypeError: /);
      expect(text).toMatch(/\n +at (async )?listProjects \(shared\/results\/runs\/list-projects\.ts:\d+:\d+\)\n/);
      expect(text).toMatch(/\n +at (async )?Object\.handle \(functions\/api\/list-projects\.ts:\d+:\d+\)\n/);
    });
  });

  test('the credentials of refused requests are not written to the log', async () => {
    const stage = await service();
    const { origin, keys, projectId } = stage;
    const { value: personal } = await token(stage);
    const secrets = [keys.readOnly, keys.readWrite, unknownKey(), personal];
    for (const key of secrets) {
      await client(origin, key).get(`/runs/find?projectId=${projectId}&limit=${key}`);
      await client(origin).post('/runs', { recordKey: key, projectId: 'zzzzzz', group: 7 });
    }
    for (const secret of secrets) expect(logLines.filter((line) => line.includes(secret))).toEqual([]);
  });
});
