import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import { formatSignInChallenge } from '#shared/access/challenge.ts';
import type { Declaration } from '#shared/platform/declaration.ts';
import { attack } from '#test/harness/attacks.ts';
import { sampled } from '#test/harness/cases.ts';
import { nobodies } from './engine/http/nobodies.ts';
import { badRequest, goodRequest, sampledOperations, sampleOf, takesKeys } from './engine/http/sample-requests.ts';
import { answersOf, sharedStage, stageFor } from './engine/http/sample-stage.ts';
import { comparable, send, type WireAnswer } from './engine/http/wire.ts';

const declarations = (await loadDeclarations()).map(({ declaration }) => declaration);
const withCredential = declarations.filter(({ credential }) => credential !== 'none');
const named = (some: readonly Declaration[]) =>
  some.map((declaration) => [`${declaration.method} ${declaration.path}`, declaration] as const);

const NOBODY = {
  status: 'FAILED',
  error: 'Invalid authentication credentials. Send a valid credential as `Authorization: Bearer <credential>`',
};
const READ_ONLY = {
  status: 'FAILED',
  error: 'This API key is Read Only. Use a Read & Write key for operations that change data',
};

const json = ({ body }: WireAnswer): unknown => JSON.parse(body.toString());

/** Expects an error response as §7 defines it. */
function expectRefusal(answer: WireAnswer, status: number): void {
  expect({ status: answer.status, type: answer.headers['content-type'] }).toEqual({ status, type: 'application/json' });
  expect(json(answer)).toEqual({ status: 'FAILED', error: expect.stringMatching(/\w{3}/) });
}

test('every declared operation has a sample request, so that these tests cover all operations', () => {
  expect(declarations.map(({ operationId }) => operationId).sort()).toEqual([...sampledOperations].sort());
});

const MARKDOWN = 'text/markdown; charset=utf-8';
const MARKDOWN_ALONE = 'text/markdown';
const OTHERS = ['application/json', '*/*', 'text/html', 'image/png;q=0.1', ';;', ''];
const ACCEPTED = [MARKDOWN_ALONE, ...OTHERS];
const offersMarkdown = ({ answers }: Declaration): boolean => answers.includes('markdown');

const acceptedBy = (declaration: Declaration): readonly string[] => {
  const row = declarations.indexOf(declaration);
  return offersMarkdown(declaration) ? [...sampled(OTHERS, 6, row), MARKDOWN_ALONE] : sampled(ACCEPTED, 7, row);
};

describe.each(named(declarations))('%s', (_, declaration) => {
  test('An operation succeeds for its sample request, and returns JSON and a request id', async () => {
    const { plain } = await answersOf(declaration, acceptedBy(declaration));
    expect({ status: plain.status, type: plain.headers['content-type'] }).toEqual({
      status: declaration.success,
      type: 'application/json',
    });
    expect(plain.headers['x-request-id']).toMatch(/^[\w+/=-]{8,}$/);
  });

  test('An operation returns JSON even for an `Accept` header without JSON, or Markdown on request if it offers Markdown', async () => {
    const { packed } = await answersOf(declaration, acceptedBy(declaration));
    expect(packed.length).toBeGreaterThan(0);
    for (const { accept, answer } of packed) {
      expect(comparable(answer)).toMatchObject({
        status: declaration.success,
        headers: {
          'content-type': offersMarkdown(declaration) && accept === MARKDOWN_ALONE ? MARKDOWN : 'application/json',
        },
      });
    }
  });

  test('An operation compresses JSON of 1 KB or more for clients that accept gzip, and not for other clients', async () => {
    const {
      plain,
      packed: [first],
    } = await answersOf(declaration, acceptedBy(declaration));
    if (!first) throw new Error('No Accept header was tried');
    const { headers, body } = first.answer;
    const isPacked = headers['content-encoding'] === 'gzip';
    expect(Object.keys(Object(JSON.parse((isPacked ? gunzipSync(body) : body).toString())))).toEqual(
      Object.keys(Object(json(plain))),
    );
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(isPacked).toBe(plain.body.length >= 1024);
    expect(headers.vary).toBe(offersMarkdown(declaration) ? 'Accept, Accept-Encoding' : 'Accept-Encoding');
  });
});

const matches = (route: string, path: string): boolean =>
  new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path.split('?')[0] ?? '');

const paths = [...Map.groupBy(declarations, ({ path }) => path)].map(([path, own], row) => [path, own, row] as const);

test.each(paths)('The path %s accepts only the methods of its operations', async (_, own, row) => {
  const { world, origin, keys } = await sharedStage();
  const [path = ''] = own.map((declaration) => goodRequest(declaration, world).path);
  // A route with a parameter may match the path of another route.
  const known = declarations.filter((other) => matches(other.path, path)).map(({ method }): string => method);
  const others = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'].filter((method) => !known.includes(method));
  for (const method of sampled(others, 2, row)) {
    const headers = [['authorization', `Bearer ${keys.readWrite}`]] as const;
    expectRefusal(await send(origin, { method, path, headers }), 404);
  }
});

describe.each(named(withCredential))('%s', (_, declaration) => {
  const isWrite = declaration.permission === 'record' || declaration.permission.endsWith(':write');

  test('An operation returns the same 401 response for different invalid credentials, even if the request is also invalid in another way', async () => {
    const { world, keys, origin } = await sharedStage();
    const alike = withCredential.filter(({ credential }) => credential === declaration.credential);
    const all = nobodies(declaration, world, keys.readWrite);
    const answers = await Promise.all(
      sampled(all, 15, alike.indexOf(declaration)).map((request) => send(origin, request)),
    );
    attack('unusable credentials', answers.length);
    const [first, ...others] = answers.map(comparable);
    expect(first).toMatchObject({ status: 401, headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(first?.body ?? '')).toEqual(NOBODY);
    if (declaration.credential === 'header') {
      expect(first?.headers).toMatchObject({ 'www-authenticate': formatSignInChallenge(origin) });
    }
    for (const other of others) expect(other).toEqual(first);
  });

  // A skipped test would look like one that was left out, and the attacks of this file would not be compared.
  if (takesKeys(declaration))
    test(
      isWrite
        ? 'An operation that writes refuses a Read Only key before it looks at the request'
        : 'An operation that only reads serves a Read Only key',
      async () => {
        const { world, keys, ask } = await (isWrite ? sharedStage() : stageFor(declaration));
        const good = goodRequest(declaration, world);
        const answer = await ask(declaration, good, keys.readOnly);
        if (!isWrite) return void expect(answer.status).toBe(declaration.success);
        const bad = badRequest(declaration, { ...world, keys: { ...keys, readWrite: keys.readOnly } }) ?? good;
        // If the credential is in the body, the service cannot read it from an invalid body, so this request is not sent.
        const broken = declaration.credential === 'header' ? [{ ...good, body: '{' }] : [];
        const invalid = sampled([bad, ...broken], 2, withCredential.indexOf(declaration));
        const others = invalid.map((request) => ask(declaration, request, keys.readOnly));
        const all = [answer, ...(await Promise.all(others))];
        attack('permissions', all.length);
        for (const refused of all) {
          expectRefusal(refused, 403);
          expect(json(refused)).toEqual(READ_ONLY);
        }
      },
    );

  test('An operation refuses an invalid request with 400, whether or not the ids in the request exist', async () => {
    const { world, ask } = await sharedStage();
    const nowhere = { projectId: 'zzzzzz', runId: '0'.repeat(16), instanceId: '0'.repeat(32), hookId: 'zzzzzz' };
    const unknown = { ...world, ...nowhere };
    for (const ids of sampled([world, unknown], 2, withCredential.indexOf(declaration))) {
      const bad = badRequest(declaration, ids);
      if (bad) expectRefusal(await ask(declaration, bad), 400);
    }
  });

  test('These tests have an invalid sample request for an operation if and only if it takes a query or a body', () => {
    const takes = Object.keys(declaration.query.shape).length > 0 || declaration.body !== undefined;
    expect(sampleOf(declaration).bad !== undefined).toBe(takes);
  });
});
