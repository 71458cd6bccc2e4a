import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { loadDeclarations } from '#infra/build/declarations.ts';
import { aliases, readQuery } from '#shared/engine/http/query.ts';
import type { Declaration } from '#shared/platform/declaration.ts';
import { cases } from '#test/harness/cases.ts';
import { service } from '#test/harness/service.ts';
import { hostileInstant, hostileText } from './hostile.ts';
import { authorized, goodRequest, sampleWorld, sharedWorld, validCredential } from './sample-requests.ts';
import { send } from './wire.ts';

const schema = z.object({
  tags: z
    .array(z.string())
    .optional()
    .register(aliases, { deprecated: ['tag'] }),
  limit: z.int().optional(),
  flaky: z.boolean().default(false),
  search: z.string().optional(),
});
const read = (sent: Record<string, string[]>) => readQuery(schema, sent);

describe('A query string', () => {
  test('may give the values of an array parameter under its name or its aliases, with or without brackets', () => {
    const some = fc.array(fc.string(), { maxLength: 60 });
    fc.assert(
      fc.property(some, some, some, some, (bracketed, plain, oldBracketed, oldPlain) => {
        const all = [...bracketed, ...plain, ...oldBracketed, ...oldPlain];
        const { values, deprecated } = read({ 'tags[]': bracketed, tags: plain, 'tag[]': oldBracketed, tag: oldPlain });
        expect(values).toEqual(all.length > 0 ? { tags: all } : {});
        expect(deprecated).toEqual(oldBracketed.length + oldPlain.length > 0 ? ['tag'] : []);
      }),
    );
  });

  test('may have 1,000 values of one parameter', () => {
    const tags = Array.from({ length: 1000 }, (_, index) => `tag ${index}`);
    expect(read({ 'tags[]': tags }).values).toEqual({ tags });
  });

  test('Reading a query string converts only decimal numbers, `true` and `false`, and keeps other text', () => {
    for (const [text, value] of [
      ['7', 7],
      ['-7', -7],
      ['007', 7],
      ['1.5', 1.5],
      ['1e3', '1e3'],
      ['0x10', '0x10'],
      [' 7', ' 7'],
      ['', ''],
      ['9'.repeat(30), '9'.repeat(30)],
    ] as const) {
      expect(read({ limit: [text] }).values).toEqual({ limit: value });
    }
    expect(read({ flaky: ['true'] }).values).toEqual({ flaky: true });
    expect(read({ flaky: ['1'] }).values).toEqual({ flaky: '1' });
    expect(read({ search: ['true'] }).values).toEqual({ search: 'true' });
  });

  test('may repeat the value of a single-value parameter, but is refused if it gives two different values', () => {
    expect(read({ limit: ['7', '7'] }).values).toEqual({ limit: 7 });
    expect(() => read({ search: ['a', 'b'] })).toThrow('`search` is given more than once. Send one value');
  });

  test('A query string with an unknown parameter is refused with an error that names the parameter', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string(), { minLength: 1 }), (name, values) => {
        fc.pre(!/^(tags?|limit|flaky|search)(\[\d{0,4}\])?$/.test(name));
        const message = `Unknown parameter \`${name.slice(0, 64).toWellFormed()}\`.`;
        expect(() => read(Object.fromEntries([[name, values]]))).toThrow(message);
      }),
    );
  });

  test('The query string of an operation without parameters is ignored', () => {
    expect(readQuery(z.object({}), { anything: ['a'], __proto__: ['b'] })).toEqual({ values: {}, deprecated: [] });
  });
});

const withQuery = (await loadDeclarations()).flatMap(({ declaration }) =>
  Object.keys(declaration.query.shape).length > 0 ? [[declaration.method, declaration.path, declaration] as const] : [],
);

/** Mostly valid values of the parameters that refuse most texts, so that many queries pass the validation. */
const SENSIBLE = new Map<string, readonly string[]>(
  Object.entries({
    limit: ['1', '7', '50'],
    date_start: ['2026-11-01', '1900-01-01', '3099-12-31', '3084-12-12', '0001-01-01T00:00:00+14:00'],
    date_end: ['2026-11-30', '9999-12-31', '3100-01-01', '1969-12-31', '2026-11-02T10:00:00.5 05:30'],
    status: ['passed', 'failed', 'PASSED', 'RUNNING'],
    completion_state: ['COMPLETE', 'TIMEOUT'],
    flaky: ['true', 'false'],
    pwLastRun: ['true', 'false'],
    tag_operator: ['AND', 'OR'],
    annotations: ['[]', '[{"type":"owner"}]', '[{"type":"owner","description":["a",""]}]'],
    starting_after: ['AAAA', 'x'],
    format: ['junit', 'ctrf'],
    pullRequest: ['7', ''],
    githubRunId: ['7', ''],
    githubRunAttempt: ['2', ''],
    complete: ['true', 'false'],
    dryRun: ['true', 'false'],
  }),
);

const parameterOf = (name: string, sensible: ReadonlyMap<string, readonly string[]>) =>
  fc
    .tuple(
      fc.constantFrom('', '', '[]', '[0]'),
      fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom(...(sensible.get(name) ?? ['main', '*', 'release/*', 'a b', '#'])) },
        { weight: 1, arbitrary: hostileText },
        { weight: 1, arbitrary: hostileInstant },
      ),
    )
    .map(([brackets, value]) => `${name}${brackets}=${encodeURIComponent(value.toWellFormed())}`);

const raw = fc.string({ maxLength: 60 }).map((text) => text.replaceAll(/[^\x21-\x7e]|#/g, ''));

/** Generates query strings. Most have all required parameters and some of the optional parameters. */
function queryOf(
  names: readonly string[],
  required: readonly string[],
  sensible: ReadonlyMap<string, readonly string[]>,
): fc.Arbitrary<string> {
  const needed = required.map((name) => fc.option(parameterOf(name, sensible), { freq: 20, nil: '' }));
  const others = fc.array(fc.oneof(...names.map((name) => parameterOf(name, sensible)), raw), { maxLength: 3 });
  return fc.tuple(fc.tuple(...needed), others).map((parts) => parts.flat().join('&'));
}

/** Creates an organization with the sample data of one operation, because the operation may change this data. */
async function ownWorld(declaration: Declaration) {
  const tenant = await service();
  return { tenant, world: await sampleWorld(tenant, [declaration]) };
}

/** 409: an operation that creates something may reach the limit of a project in `npm run test:deep`. */
const ANSWERS = [200, 201, 400, 404, 409, 414];

describe.each(withQuery)('%s %s', (method, _, declaration) => {
  test('An operation responds to any query string with a result or a documented refusal', async () => {
    const { tenant, world } = method === 'GET' ? await sharedWorld() : await ownWorld(declaration);
    const sample = goodRequest(declaration, world);
    const sensible = new Map([...SENSIBLE, ['projectId', [world.projectId]]]);
    const names = [
      ...Object.keys(declaration.query.shape),
      'tag',
      'branch',
      'git_author',
      'author',
      'group',
      '__proto__',
    ];
    const required = Object.entries(declaration.query.shape).flatMap(([name, schema]) =>
      schema.safeParse(undefined).success ? [] : name,
    );
    const good = authorized(declaration, sample, await validCredential(tenant, declaration));
    await fc.assert(
      fc.asyncProperty(queryOf(names, required, sensible), async (query) => {
        const { status, body } = await send(tenant.origin, { ...good, path: `${good.path.split('?')[0]}?${query}` });
        expect(ANSWERS).toContain(status);
        expect(JSON.parse(body.toString()).status).toBe(status < 300 ? 'OK' : 'FAILED');
      }),
      { numRuns: cases(150, 8) },
    );
  });
});
