import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { loadFunctions } from '#infra/build/declarations.ts';
import { HEAD_PATHS } from '#infra/build/head-paths.ts';
import { listApiRoutes } from '#infra/stacks/api-routes.ts';
import { exchange } from '#test/harness/client.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { passed } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { imported, junit } from '#test/imports/reports.ts';

const OPENAPI = '/docs/openapi.json';
const DISCOVERY = ['@/.well-known/oauth-protected-resource', '@/.well-known/oauth-protected-resource/mcp'];

describe('HEAD', () => {
  const values: Readonly<Record<string, string>> = {
    'assets/{path+}': 'assets/none.css',
    'client/{path+}': 'client/none.tgz',
    'badges/{file}': 'badges/none.svg',
    'docs/{page+}': 'docs/none',
  };

  test.each(HEAD_PATHS)('HEAD %s gets the status and headers of GET, and no body', async (path) => {
    const { origin } = await service();
    const url = `${origin}/${values[path.slice(1)] ?? path.slice(1)}`;
    const ask = async (method: string) => {
      const response = await exchange(method, url, {}, undefined);
      const names = ['content-type', 'cache-control', 'etag', 'access-control-allow-origin', 'content-encoding'];
      const headers = names.map((name) => response.headers[name]);
      return { status: response.statusCode, headers, bytes: (await buffer(response)).length };
    };
    const get = await ask('GET');
    expect(get.bytes).toBeGreaterThan(0);
    expect(await ask('HEAD')).toEqual({ ...get, bytes: 0 });
  });

  test('HEAD reaches the same function as GET, without a credential, and no other path has it', async () => {
    const routes = listApiRoutes(await loadFunctions());
    const heads = routes.filter(({ method }) => method === 'HEAD');
    expect(heads.map(({ path }) => path).sort()).toEqual([...HEAD_PATHS].sort());
    for (const { path, functionName, isGuarded } of heads)
      expect(routes).toContainEqual(expect.objectContaining({ method: 'GET', path, functionName, isGuarded }));
    expect(heads.filter(({ isGuarded }) => isGuarded)).toEqual([]);
  });
});

describe('A document that is the same for everybody', () => {
  test.each([OPENAPI, ...DISCOVERY])(
    '%s may be read by pages of other sites, and kept for five minutes',
    async (path) => {
      const { anonymous } = await service();
      const { status, headers } = await anonymous.get(path);
      expect(status).toBe(200);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('cache-control')).toBe('public, max-age=300');
      const again = await anonymous.get(path, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
      expect({ status: again.status, body: again.body }).toEqual({ status: 304, body: '' });
      expect((await anonymous.get(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    },
  );

  test('An answer of the API for one organization may not be read by pages of other sites', async () => {
    const { api } = await service();
    expect((await api.get('/projects')).headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('What clients write in their own way', () => {
  test('A credential after several spaces is accepted, and one after a tab is not', async () => {
    const { anonymous, keys } = await service();
    const apiKey = keys.readWrite;
    const ask = async (authorization: string) =>
      (await anonymous.get('/projects', { headers: { authorization } })).status;
    expect(await ask(`Bearer   ${apiKey}`)).toBe(200);
    expect(await ask(`Bearer\t${apiKey}`)).toBe(401);
    expect(await ask(`Bearer${apiKey}`)).toBe(401);
  });

  test('A JSON body may begin with a byte order mark, as PowerShell writes it', async () => {
    const { api } = await service();
    const send = (body: string) =>
      api.send('POST', '/projects', body, { headers: { 'content-type': 'application/json' } });
    expect(await send('\ufeff{"name":"Shop"}')).toMatchObject({ status: 201, body: { data: { name: 'Shop' } } });
    expect((await send('\ufeff')).status).toBe(400);
    expect((await send('\ufeff\ufeff{"name":"Shop"}')).status).toBe(400);
    const call = await api.send('POST', '@/mcp', '\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}', {
      headers: { 'content-type': 'application/json', accept: '*/*' },
    });
    expect({ status: call.status, body: call.body }).toEqual({
      status: 200,
      body: { jsonrpc: '2.0', id: 1, result: {} },
    });
  });

  test.each(['*/*', 'application/json', 'application/*;q=0.5, text/html', undefined])(
    'The MCP server answers a client with `Accept: %s` with JSON',
    async (accept) => {
      const { api } = await service();
      const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
      const headers = { 'content-type': 'application/json', ...(accept === undefined ? {} : { accept }) };
      const { status, body } = await api.send('POST', '@/mcp', ping, { headers });
      expect({ status, body }).toEqual({ status: 200, body: { jsonrpc: '2.0', id: 1, result: {} } });
    },
  );

  test('A client of the MCP server that accepts no streams gets the answers to a batch as one list', async () => {
    const { api } = await service();
    const batch = JSON.stringify([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const { body } = await api.send('POST', '@/mcp', batch, { headers });
    expect(body).toEqual([1, 2].map((id) => ({ jsonrpc: '2.0', id, result: {} })));
  });

  test('The MCP server refuses a client that accepts no JSON', async () => {
    const { api } = await service();
    const headers = { 'content-type': 'application/json', accept: 'text/html' };
    const { status } = await api.send('POST', '@/mcp', '{"jsonrpc":"2.0","id":1,"method":"ping"}', { headers });
    expect(status).toBe(406);
  });

  test('The 404 of a path with a slash at its end says so', async () => {
    const { api } = await service();
    for (const path of ['/projects/', '@/mcp/', '/health/']) {
      const { status, body } = await api.get(path);
      expect({ status, error: body.error }).toEqual({
        status: 404,
        error: expect.stringContaining('no slash at its end'),
      });
    }
  });

  test.each([
    ['Zoë <z@example.org>', {}, ['Zoë', 'z@example.org']],
    [' Zoë Doe  < z@example.org > ', {}, ['Zoë Doe', 'z@example.org']],
    ['Zoë <z@example.org>', { authorEmail: 'other@example.org' }, ['Zoë', 'other@example.org']],
    ['<z@example.org>', {}, [null, 'z@example.org']],
    ['Zoë <team>', {}, ['Zoë <team>', null]],
    ['Zoë > Doe', {}, ['Zoë > Doe', null]],
    ['z@example.org', {}, ['z@example.org', null]],
  ])('The author "%s" of an import with %j is recorded with name and address', async (author, more, recorded) => {
    const tenant = await service();
    const query = new URLSearchParams({ author, ...more }).toString();
    const { runId } = await imported(tenant, junit({ 'cart.test.ts': { adds: 'passed' } }), query);
    const { authorName, authorEmail } = (await read(tenant.api, `/runs/${runId}`)).meta.commit;
    expect([authorName, authorEmail]).toEqual(recorded);
  });

  test('Values of a list that are joined by commas are refused with the right spelling, and brackets take a comma as part of the value', async () => {
    const tenant = await service();
    for (const branch of ['main', 'fix', 'main,fix'])
      await uploadRun(tenant, { 'cart.spec.ts > sums': passed() }, { ciBuildId: branch, commit: { branch } });
    const list = async (query: string) => {
      const { status, body } = await tenant.api.get(`/projects/${tenant.projectId}/runs?${query}`);
      return status === 200
        ? body.data.map(({ meta }: { meta: { commit: { branch: string } } }) => meta.commit.branch).sort()
        : body.error;
    };
    expect(await list('branches=main,fix')).toBe(
      '`branches` has one value with a comma. For several values, send `branches[]=a&branches[]=b`. If the comma belongs to the value, send `branches[]=main%2Cfix`',
    );
    expect(await list('branches[]=main,fix')).toEqual(['main,fix']);
    expect(await list('branches=main&branches=fix')).toEqual(['fix', 'main']);
    expect(await list('branches=main')).toEqual(['main']);
    expect(await list('authors=Doe, Jane')).toEqual([]);
    expect(await list('status=PASSED,FAILED')).toContain('send `status[]=a&status[]=b`');
  });
});
