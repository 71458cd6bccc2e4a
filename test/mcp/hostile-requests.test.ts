import { describe, expect, test } from 'vitest';
import { formatSignInChallenge } from '#shared/access/challenge.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { attack } from '#test/harness/attacks.ts';
import { client } from '#test/harness/client.ts';
import { logLines, service } from '#test/harness/service.ts';
import { ask, callTool, messagesIn, sendRaw, toolsOf } from './agents.ts';

const call = (id: number, name = 'list_projects', args: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('The transport', () => {
  test('The MCP endpoint answers GET and DELETE with 405, because it offers neither streams nor sessions', async () => {
    const { api } = await service();
    for (const method of ['GET', 'DELETE']) {
      const answer = await api.send(method, '@/mcp', undefined, { headers: { accept: 'text/event-stream' } });
      expect({ method, status: answer.status }).toEqual({ method, status: 405 });
    }
  });

  test('The MCP endpoint responds with the same 401 to a missing and to an invalid credential', async () => {
    const { origin, anonymous } = await service();
    const none = await anonymous.post('@/mcp', call(1));
    const wrong = await client(origin, 'rdn_key_nonsense').post('@/mcp', call(1));
    expect([none.status, wrong.status]).toEqual([401, 401]);
    expect(wrong.body).toEqual(none.body);
    expect(none.headers.get('www-authenticate')).toBe(formatSignInChallenge(origin));
    expect(wrong.headers.get('www-authenticate')).toBe(formatSignInChallenge(origin));
  });

  test('The MCP endpoint answers a batch of up to 10 messages, and refuses a batch of 11', async () => {
    const { origin, keys } = await service();
    const batch = (length: number) => JSON.stringify(Array.from({ length }, (_, index) => call(index + 1)));
    const ten = messagesIn(await sendRaw(origin, keys.readOnly, batch(10)));
    expect(ten.map(({ id }) => id).sort((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const eleven = await sendRaw(origin, keys.readOnly, batch(11));
    expect(eleven).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('at most 10') } } });
  });

  test('The MCP endpoint refuses a body above 256 KB, deeply nested JSON, and the property name __proto__', async () => {
    const { origin, keys } = await service();
    const large = await sendRaw(
      origin,
      keys.readOnly,
      JSON.stringify(call(1, 'list_projects', { x: 'x'.repeat(262_144) })),
    );
    expect(large).toMatchObject({ status: 413, body: { error: { message: expect.stringContaining('262144 bytes') } } });
    attack('hostile bodies');
    for (const depth of [101, 100_000]) {
      attack('hostile bodies');
      const deep = await sendRaw(origin, keys.readOnly, nested(depth));
      expect(deep).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringContaining('nested deeper') } },
      });
    }
    const proto =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_projects","arguments":{"__proto__":{"limit":1}}}}';
    attack('hostile bodies');
    expect(await sendRaw(origin, keys.readOnly, proto)).toMatchObject({ status: 400 });
    expect(Object.prototype).not.toHaveProperty('limit');
  });

  test('The MCP endpoint responds with 400 or 415 to bodies that are not JSON-RPC, and still answers the next request', async () => {
    const { origin, keys } = await service();
    for (const body of ['{', 'null', '1', '""', '{}', '[]', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}']) {
      expect({ body, status: (await sendRaw(origin, keys.readOnly, body)).status }).toEqual({ body, status: 400 });
    }
    const text = await sendRaw(origin, keys.readOnly, JSON.stringify(call(1)), { 'content-type': 'text/plain' });
    expect(text.status).toBe(415);
    expect(await toolsOf(origin, keys.readOnly)).toContain('get_context');
  });

  test('The MCP endpoint refuses requests from pages of another origin', async () => {
    const { origin, keys } = await service();
    const from = (page: string) => sendRaw(origin, keys.readOnly, JSON.stringify(call(1)), { origin: page });
    for (const page of ['https://evil.example.com', 'null', `${origin}.evil.example.com`]) {
      expect({ page, status: (await from(page)).status }).toEqual({ page, status: 403 });
    }
    expect((await from(origin)).status).toBe(200);
  });

  test('The MCP endpoint answers unknown methods and tools with a JSON-RPC error', async () => {
    const { origin, keys } = await service();
    expect(await ask(origin, keys.readOnly, 'resources/list')).toMatchObject({ error: { code: -32601 } });
    for (const name of ['drop_table', '__proto__', 'constructor', 'x'.repeat(10_000), '']) {
      const answer = await ask(origin, keys.readOnly, 'tools/call', { name, arguments: {} });
      expect(answer).toMatchObject({
        error: { code: -32602, message: expect.stringMatching(/^Unknown tool ".{0,64}"/) },
      });
    }
  });
});

describe('A tool call', () => {
  test('A tool call with invalid arguments gets an error message of less than 1,000 characters', async () => {
    const { origin, keys, projectId } = await service();
    const wrong: readonly object[] = [
      {},
      { projectId: 1 },
      { projectId: [projectId] },
      { projectId, limit: 1e9 },
      { projectId, limit: 'five' },
      { projectId, branches: { 0: 'main' } },
      { projectId, branches: Array.from({ length: 1000 }, () => 'main') },
      { projectId, starting_after: 'x'.repeat(5000) },
      { projectId, constructor: 'x' },
      { projectId, hasOwnProperty: true },
      { projectId, ['x'.repeat(400)]: 1 },
    ];
    for (const args of wrong) {
      const { text, isError } = await callTool(origin, keys.readOnly, 'list_runs', args);
      expect(isError, text).toBe(true);
      expect(Object.keys(JSON.parse(text))).toEqual(['error']);
      expect(text.length).toBeLessThan(1000);
    }
  });

  test('is refused if its arguments are not an object', async () => {
    const { origin, keys } = await service();
    for (const args of ['x', 1, [], null]) {
      const answer = await ask(origin, keys.readOnly, 'tools/call', { name: 'list_projects', arguments: args });
      expect(answer).toMatchObject({ error: { code: -32602 } });
    }
  });

  test('gets an internal error for a fault in the service, without the message of the fault', async () => {
    const { origin, keys, services, organizationId, projectId } = await service();
    await services.table.update(projects, { organizationId, projectId }, { set: [['name', 7]] });
    const answer = await ask(origin, keys.readOnly, 'tools/call', { name: 'list_projects', arguments: {} });
    expect(answer).toMatchObject({
      error: { code: -32603, message: expect.stringMatching(/^Internal error\. .* request id [\w+/=-]+$/) },
    });
    expect(JSON.stringify(answer)).not.toMatch(/expected string|invalid_type|at .*\.ts/);
    expect(logLines.some((line) => line.includes('listProjects') && line.includes('expected string'))).toBe(true);
  });
});
