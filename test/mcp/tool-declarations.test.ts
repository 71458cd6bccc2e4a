import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type DeclaredEndpoint, loadDeclarations } from '#infra/build/declarations.ts';
import { buildToolDefinitions, toSnakeCase } from '#infra/build/tools.ts';
import { MCP_LIMITS } from '#shared/mcp/limits.ts';
import type { ToolSpecification } from '#shared/mcp/tool.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

const endpoints = await loadDeclarations();
const tools = Object.values(buildToolDefinitions(endpoints));

/** Declares an endpoint, like those in `functions/api`, with this tool. */
function declared(tool: ToolSpecification<unknown, unknown> | 'none' | undefined, more: object = {}): DeclaredEndpoint {
  const { declaration } = endpoint({
    operationId: 'doThing',
    route: 'POST /things/{thingId}',
    permission: 'runs:write',
    access: { table: 'none', artifacts: 'none' },
    summary: 'Do a thing',
    path: { thingId: z.string() },
    response: z.unknown(),
    ...(tool === undefined ? {} : { tool }),
    ...more,
    handle: () => ({}),
  });
  return { file: 'functions/api/do-thing.ts', area: 'api', declaration };
}

const HINTS = { destructiveHint: false, idempotentHint: true };
const TOOL = { description: 'Use it for things.', hints: HINTS };

describe('The declared tools', () => {
  test('There are at most 39 tools, each with a description of at most 400 characters', () => {
    expect(tools.length).toBeLessThanOrEqual(39);
    expect(MCP_LIMITS.tools).toBe(39);
    for (const { name, description } of tools) {
      expect(description.length, name).toBeLessThanOrEqual(400);
      expect(description, name).toMatch(/^[A-Z].*\.$/);
    }
  });

  test('A key that may read and write gets a list of at most 36,000 characters', () => {
    const ofOtherCredentials = ['create_share'];
    const listed = tools.filter(({ name }) => !ofOtherCredentials.includes(name));
    expect(listed).toHaveLength(38);
    expect(JSON.stringify(listed).length).toBeLessThanOrEqual(MCP_LIMITS.listCharacters);
  });

  test('A long argument is described once among the tools of one permission, and named in the others', () => {
    const matcherOf = (tool: string) =>
      Object(tools.find(({ name }) => name === tool)?.inputSchema['properties'])['matcher'];
    expect(matcherOf('create_action')).toMatchObject({ type: 'object', required: ['op', 'cond'] });
    expect(matcherOf('update_action')).toEqual({ description: 'As in create_action' });
  });

  test('Each tool has the name of its operation in snake_case', () => {
    const operations = endpoints.map(({ declaration }) => toSnakeCase(declaration.operationId));
    for (const { name } of tools) expect(operations).toContain(name);
    expect(tools.map(({ name }) => name)).toContain('get_context');
  });

  test('The descriptions of tools name only tools that exist', () => {
    const names = tools.map(({ name }) => name);
    const next = endpoints.flatMap(({ declaration: { tool } }) =>
      tool === undefined || tool === 'none' ? [] : [tool.next ?? ''],
    );
    const mentioned = [...next, JSON.stringify(tools)]
      .join(' ')
      .match(/\b(?:get|list|find|search|test|update|create|enable|disable)_[a-z_]+\b/g);
    const own = endpoints.flatMap(({ declaration: { query } }) => Object.keys(query.shape));
    for (const name of mentioned ?? []) if (!own.includes(name)) expect(names).toContain(name);
  });

  test('No tool exists for operations that manage secrets, describe the service or record runs', () => {
    const names = tools.map(({ name }) => name);
    for (const absent of [
      'rotate_webhook_secret',
      'delete_webhook_secret',
      'get_health',
      'get_openapi',
      'create_run',
    ]) {
      expect(names).not.toContain(absent);
    }
  });

  test('The declarations tell clients which tools only read, and which may destroy data', () => {
    const where = (hint: 'readOnlyHint' | 'destructiveHint') =>
      tools.filter(({ annotations }) => annotations[hint]).map(({ name }) => name);
    expect(where('destructiveHint').sort()).toEqual(
      [
        'cancel_run',
        'delete_run',
        'delete_webhook',
        'reset_run',
        'update_webhook',
        'create_action',
        'delete_action',
        'enable_action',
        'update_action',
      ].sort(),
    );
    for (const name of where('readOnlyHint')) expect(name).toMatch(/^(?:get|list|find|search)_/);
  });

  test('The README of the functions lists each tool under its permission', async () => {
    const guide = await readFile(join(import.meta.dirname, '../../functions/README.md'), 'utf8');
    const rows = [...guide.matchAll(/^\| ([^|]+) \| ((?:`[a-z_]+`(?:, )?)+) \|$/gm)];
    const named: Readonly<Record<string, string>> = {
      'any credential': 'signatures:read',
      '`issues:write`, or any API key': 'trackers:read',
    };
    const permissionOf = (cell: string) => named[cell] ?? /^`([a-z]+:[a-z]+)`$/.exec(cell)?.[1];
    const told = rows.flatMap(([, permission = '', list = '']) =>
      [...list.matchAll(/`([a-z_]+)`/g)].map(([, name]) => `${name} ${permissionOf(permission)}`),
    );
    const declared = endpoints.flatMap(({ declaration: { operationId, permission, tool } }) =>
      tool === undefined || tool === 'none' ? [] : [`${toSnakeCase(operationId)} ${permission}`],
    );
    expect(told.sort()).toEqual(declared.sort());
  });

  test('The schemas of tools contain no references, and no arguments that the tools would refuse', () => {
    expect(JSON.stringify(tools)).not.toMatch(/\$ref|\$defs|ending_before|"signed"|"format"/);
    const context = tools.find(({ name }) => name === 'get_context');
    expect(context?.inputSchema).toMatchObject({
      properties: { limit: { default: 5 }, detail: { default: 'compact' } },
    });
    expect(tools.find(({ name }) => name === 'list_tests')?.inputSchema).toMatchObject({ required: ['projectId'] });
  });
});

describe('The build', () => {
  test('fails if an operation of the API declares no tool', () => {
    expect(() => buildToolDefinitions([declared(undefined)])).toThrow("add `tool`, or `tool: 'none'`");
    expect(buildToolDefinitions([declared('none')])).toEqual({});
  });

  test('fails if a path parameter and a query parameter have the same name', () => {
    const twice = declared(TOOL, { query: z.object({ thingId: z.string() }) });
    expect(() => buildToolDefinitions([twice])).toThrow('two arguments named thingId');
  });

  test('A request body that is not an object becomes the argument `body` of the tool', () => {
    const definitions = buildToolDefinitions([declared(TOOL, { body: z.array(z.string()) })]);
    expect(definitions['doThing']?.inputSchema).toMatchObject({
      properties: { thingId: { type: 'string' }, body: { type: 'array' } },
      required: ['thingId', 'body'],
    });
  });

  test('fails if a tool that changes data does not tell clients whether it is destructive and idempotent', () => {
    expect(() => buildToolDefinitions([declared({ description: 'Use it.' })])).toThrow('destructive and idempotent');
  });

  test('fails if a description is too long, if two tools have the same name, or if there are too many tools', () => {
    expect(() => buildToolDefinitions([declared({ ...TOOL, description: 'x'.repeat(400) })])).toThrow('characters');
    expect(() => buildToolDefinitions([declared(TOOL), declared(TOOL)])).toThrow(
      'Two operations declare the tool do_thing',
    );
    const many = Array.from({ length: 40 }, (_, index) =>
      declared({ ...TOOL, name: `t${index}` }, { operationId: `t${index}` }),
    );
    expect(() => buildToolDefinitions(many)).toThrow('40 operations are tools');
  });
});
