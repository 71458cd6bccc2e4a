import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import { BODY_LIMITS } from '#shared/engine/http/limits.ts';
import { attack } from '#test/harness/attacks.ts';
import { sampled } from '#test/harness/cases.ts';
import { batchInstance, uploadBody } from '#test/harness/recording-batch.ts';
import { attempt, error, failed, suiteGroup } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';
import { unknownKey } from './bad-credentials.ts';
import { authorized, goodRequest, sharedWorld } from './sample-requests.ts';
import { comparable, send } from './wire.ts';

const withBody = (await loadDeclarations())
  .map(({ declaration }) => declaration)
  .filter(({ body }) => body !== undefined)
  .map((declaration, row) => [declaration.operationId, declaration, row] as const);

const GZIP = ['content-encoding', 'gzip'] as const;
const listOf = (element: string, count: number): string => `[${`${element},`.repeat(count - 1)}${element}]`;

/** Bodies that are expensive to parse or cannot be read, sent without a valid credential. */
const FOR_STRANGERS: Readonly<Record<string, readonly [Uint8Array, ...(readonly [string, string])[]]>> = {
  'three million objects': [gzipSync(`{"a":${listOf('{}', 3_000_000)}`), GZIP],
  'no JSON': [Buffer.from('{"a":')],
  'no gzip': [Buffer.from('{}'), GZIP],
  'an unknown coding': [Buffer.from('{}'), ['content-encoding', 'br']],
  'a million levels': [gzipSync('['.repeat(1_000_000)), GZIP],
  'more than any body may have': [gzipSync(Buffer.alloc(BODY_LIMITS.bytes + 1, ' ')), GZIP],
};

describe('A request body without a valid credential', () => {
  test.each(withBody)(
    'A request without a valid credential gets the same 401 response, even if its body is too large or not JSON: %s',
    async (_, declaration, row) => {
      const { tenant, world } = await sharedWorld();
      const good = goodRequest(declaration, world);
      const request = { method: good.method, path: good.path };
      const refused = comparable(await send(tenant.origin, { ...request, body: '{}' }));
      expect(refused.status).toBe(401);
      for (const [what, [body, ...headers]] of sampled(Object.entries(FOR_STRANGERS), 6, row)) {
        expect(comparable(await send(tenant.origin, { ...request, body, headers })), what).toEqual(refused);
        const unknown = [['authorization', `Bearer ${unknownKey()}`] as const, ...headers];
        expect(comparable(await send(tenant.origin, { ...request, body, headers: unknown })), what).toEqual(refused);
      }
    },
  );
});

/** Content that makes parsing expensive, each just above its limit, and forbidden names such as `__proto__`. */
const TOO_MUCH: ReadonlyArray<readonly [what: string, extra: string, status: number, words: string]> = [
  [
    'too many objects',
    listOf('{}', BODY_LIMITS.containers),
    413,
    `more than ${BODY_LIMITS.containers} objects and arrays`,
  ],
  [
    'too many arrays',
    listOf('[]', BODY_LIMITS.containers),
    413,
    `more than ${BODY_LIMITS.containers} objects and arrays`,
  ],
  ['too many numbers', listOf('1', BODY_LIMITS.parts), 413, `more than ${BODY_LIMITS.parts} values`],
  [
    'too many strings',
    listOf('"a longer text"', BODY_LIMITS.strings + 1),
    413,
    `more than ${BODY_LIMITS.strings} strings`,
  ],
  [
    'too many different short strings',
    // The service counts the distinct hashes of strings. A few hashes collide, so this is 1 % above the limit.
    JSON.stringify(Array.from({ length: 1.01 * BODY_LIMITS.words }, (_, n) => String(n))),
    413,
    `more than ${BODY_LIMITS.words} different short strings`,
  ],
  [
    'too many names in one object',
    JSON.stringify(Object.fromEntries(Array.from({ length: BODY_LIMITS.forms + 1 }, (_, n) => [`k${n}`, 1]))),
    413,
    `more than ${BODY_LIMITS.forms} objects with different sets of names`,
  ],
  [
    'too many objects with different names',
    JSON.stringify(Array.from({ length: BODY_LIMITS.forms + 1 }, (_, n) => ({ [`k${n}`]: 1 }))),
    413,
    `more than ${BODY_LIMITS.forms} objects with different sets of names`,
  ],
  [
    'too many repetitions of one name',
    `{${'"a":1,'.repeat(BODY_LIMITS.forms)}"a":1}`,
    413,
    `more than ${BODY_LIMITS.forms} objects with different sets of names`,
  ],
  [
    'too many bytes in a name',
    `{"${'k'.repeat(BODY_LIMITS.nameBytes + 1)}":1}`,
    413,
    `more than ${BODY_LIMITS.nameBytes} bytes`,
  ],
  [
    'too many levels of nesting',
    `${'['.repeat(BODY_LIMITS.depth + 1)}${']'.repeat(BODY_LIMITS.depth + 1)}`,
    400,
    'nested deeper',
  ],
  ['the name `__proto__`', '[{"__proto__":{}}]', 400, '`__proto__`'],
  ['the escaped name `__proto__`', '{"\\u005f_proto__":{}}', 400, '`__proto__`'],
  [
    'the name `prototype` in a `constructor`',
    '[{"prototype":1},{"constructor":{"a":1,"prototype":{}}}]',
    400,
    '`prototype`',
  ],
];

describe('A request body above a structural limit', () => {
  test.each(TOO_MUCH)(
    'A request body with %s is refused before it is parsed as JSON',
    async (_, extra, status, words) => {
      const { origin, keys, projectId } = (await sharedWorld()).tenant;
      const good = JSON.stringify({ projectId, specFilePath: 'cart.spec.ts', testTitle: ['sums'] });
      const request = {
        method: 'POST',
        path: '/v1/signature/test',
        headers: [['authorization', `Bearer ${keys.readOnly}`], GZIP] as const,
      };
      // The body is also not valid JSON, so the response would report a syntax error if the body were parsed before its
      // cost is checked.
      const body = gzipSync(good.replace('{', `{"extra":${extra},"broken":,`));
      const answer = await send(origin, { ...request, body });
      attack('hostile bodies');
      expect({ status: answer.status, error: JSON.parse(answer.body.toString()).error }).toEqual({
        status,
        error: expect.stringContaining(words),
      });
    },
  );

  test.each([
    ['elements of one list', '"machineId":', listOf('{}', 100_000), 'resetRun'],
    ['instances', '"instances":', listOf('{}', 100_000), 'uploadRun'],
    ['tests of a suite', '"fullTestSuite":', `[{"name":"a","tests":${listOf('{}', 90_000)}}]`, 'createRun'],
    ['groups of a suite', '"fullTestSuite":', listOf('{}', 100_000), 'createRun'],
    ['events of a webhook', '"hookEvents":', listOf('"RUN"', 100_000), 'createWebhook'],
  ])('A body with many invalid %s is refused with a response below 1 KB', async (_, name, value, operationId) => {
    const { tenant, world } = await sharedWorld();
    const [, declaration] = withBody.find(([id]) => id === operationId) ?? [];
    if (!declaration) throw new Error(`${operationId} has no sample body`);
    const request = authorized(declaration, goodRequest(declaration, world), tenant.keys.readWrite);
    const good = String(request.body).replace(name, '"other":');
    const body = gzipSync(good.replace('{', `{${name}${value},`));
    const answer = await send(tenant.origin, { ...request, body, headers: [...(request.headers ?? []), GZIP] });
    attack('hostile bodies');
    expect(answer.status).toBe(400);
    expect(answer.body.length).toBeLessThan(1000);
    expect(JSON.parse(answer.body.toString()).error).toContain(name.slice(1, -2));
  });
});

test('An upload with thousands of invalid tests leaves them out, and names the first ones in a response below 10 KB', async () => {
  const tenant = await service();
  const instance = {
    groupId: 'retail',
    spec: 'cart.spec.ts',
    results: { tests: Array.from({ length: 9000 }, () => ({})) },
  };
  const upload = uploadBody(tenant, [suiteGroup('retail', ['cart.spec.ts > sums'])], [instance]);
  const body = gzipSync(JSON.stringify(upload));
  const answer = await send(tenant.origin, { method: 'POST', path: '/v1/runs', body, headers: [GZIP] });
  expect(answer.status).toBe(200);
  expect(answer.body.length).toBeLessThan(10_000);
  expect(JSON.parse(answer.body.toString()).warnings).toContainEqual({
    message: 'Further tests that were not recorded: 8980',
  });
});

test('An upload of 10 MB is accepted even if the API key comes after the suite in the body, as in uploads of the published client', async () => {
  const tenant = await service();
  const names = Array.from({ length: 240 }, (_, n) => `cart.spec.ts > case ${n}`);
  const stack = 'at the line of the code\n'.repeat(1800);
  const state = () => failed({ attempts: [attempt('failed', { errors: [{ ...error('Error: no'), stack }] })] });
  const instance = batchInstance('retail', 'cart.spec.ts', Object.fromEntries(names.map((name) => [name, state()])));
  const { recordKey: _, ...rest } = { ...uploadBody(tenant, [suiteGroup('retail', names)], [instance]), recordKey: '' };
  const text = JSON.stringify({ ...rest, recordKey: tenant.keys.readWrite });
  expect(text.length).toBeGreaterThan(10_000_000);
  const answer = await send(tenant.origin, { method: 'POST', path: '/v1/runs', body: gzipSync(text), headers: [GZIP] });
  expect(answer.status).toBe(200);
});
