import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type DeclaredEndpoint, loadDeclarations } from '#infra/build/declarations.ts';
import { snakeCase, toolDefinitions } from '#infra/build/tools.ts';
import { MCP_LIMITS } from '#shared/mcp/limits.ts';
import type { ToolSpecification } from '#shared/mcp/tool.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

const endpoints = await loadDeclarations();
const tools = Object.values(toolDefinitions(endpoints));

/** A declaration of `functions/api` with this tool. */
function declared(tool: ToolSpecification<unknown> | 'none' | undefined, more: object = {}): DeclaredEndpoint {
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
  test('are at most 34, each with a description of at most 400 characters', () => {
    expect(tools.length).toBeLessThanOrEqual(34);
    expect(MCP_LIMITS.tools).toBe(34);
    for (const { name, description } of tools) {
      expect(description.length, name).toBeLessThanOrEqual(400);
      expect(description, name).toMatch(/^[A-Z].*\.$/);
    }
  });

  test('are named like their operations in snake_case', () => {
    const operations = endpoints.map(({ declaration }) => snakeCase(declaration.operationId));
    for (const { name } of tools) expect(operations).toContain(name);
    expect(tools.map(({ name }) => name)).toContain('get_context');
  });

  test('name only tools that exist', () => {
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

  test('leave out operations on secrets, metadata and recording', () => {
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

  test('tell clients which tools only read, and which destroy data', () => {
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

  test('are documented in the guide under their permissions', async () => {
    const guide = await readFile(join(import.meta.dirname, '../../functions/README.md'), 'utf8');
    const rows = [...guide.matchAll(/^\| (?:`([a-z]+:[a-z]+)`|any credential) \| ((?:`[a-z_]+`(?:, )?)+) \|$/gm)];
    const told = rows.flatMap(([, permission = 'signatures:read', list = '']) =>
      [...list.matchAll(/`([a-z_]+)`/g)].map(([, name]) => `${name} ${permission}`),
    );
    const declared = endpoints.flatMap(({ declaration: { operationId, permission, tool } }) =>
      tool === undefined || tool === 'none' ? [] : [`${snakeCase(operationId)} ${permission}`],
    );
    expect(told.sort()).toEqual(declared.sort());
  });

  test('have schemas without references, and without arguments that tools refuse', () => {
    expect(JSON.stringify(tools)).not.toMatch(/\$ref|\$defs|ending_before|"signed"|"format"/);
    const context = tools.find(({ name }) => name === 'get_context');
    expect(context?.inputSchema).toMatchObject({
      properties: { limit: { default: 5 }, detail: { default: 'compact' } },
    });
    expect(tools.find(({ name }) => name === 'list_tests')?.inputSchema).toMatchObject({ required: ['projectId'] });
  });
});

describe('The build', () => {
  test('fails if an operation in functions/api declares no tool', () => {
    expect(() => toolDefinitions([declared(undefined)])).toThrow("add `tool`, or `tool: 'none'`");
    expect(toolDefinitions([declared('none')])).toEqual({});
  });

  test('fails if a name is in the path and in the query', () => {
    const twice = declared(TOOL, { query: z.object({ thingId: z.string() }) });
    expect(() => toolDefinitions([twice])).toThrow('two arguments named thingId');
  });

  test('nests a body that is no object as the argument `body`', () => {
    const definitions = toolDefinitions([declared(TOOL, { body: z.array(z.string()) })]);
    expect(definitions['doThing']?.inputSchema).toMatchObject({
      properties: { thingId: { type: 'string' }, body: { type: 'array' } },
      required: ['thingId', 'body'],
      additionalProperties: false,
    });
  });

  test('fails if a tool that changes data gives no hints', () => {
    expect(() => toolDefinitions([declared({ description: 'Use it.' })])).toThrow('destructive and idempotent');
  });

  test('fails on a long description, on equal names, and on too many tools', () => {
    expect(() => toolDefinitions([declared({ ...TOOL, description: 'x'.repeat(400) })])).toThrow('characters');
    expect(() => toolDefinitions([declared(TOOL), declared(TOOL)])).toThrow('Two operations declare the tool do_thing');
    const many = Array.from({ length: 35 }, (_, index) =>
      declared({ ...TOOL, name: `t${index}` }, { operationId: `t${index}` }),
    );
    expect(() => toolDefinitions(many)).toThrow('35 operations are tools');
  });
});
