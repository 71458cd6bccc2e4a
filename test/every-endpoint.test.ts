import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import type { Declaration } from '#shared/platform/declaration.ts';
import { sampled } from '#test/harness/cases.ts';
import { token } from '#test/harness/people.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';
import { nobodies } from './engine/http/nobodies.ts';
import {
  authorized,
  badRequest,
  goodRequest,
  sampledOperations,
  sampleOf,
  sampleWorld,
} from './engine/http/sample-requests.ts';
import type { World } from './engine/http/sample-shapes.ts';
import { comparable, send, type WireAnswer, type WireRequest } from './engine/http/wire.ts';

const declarations = (await loadDeclarations()).map(({ declaration }) => declaration);
const withCredential = declarations.filter(({ credential }) => credential !== 'none');
const named = (some: readonly Declaration[]) =>
  some.map((declaration) => [`${declaration.method} ${declaration.path}`, declaration] as const);

const takesKeys = ({ credentialKinds }: Declaration): boolean => credentialKinds.includes('apiKey');

interface Stage extends TestService, Tenant {
  readonly world: World;
  /** Uses the Read & Write key, or a personal token if keys are refused, unless another credential is given. */
  readonly ask: (declaration: Declaration, request: WireRequest, key?: string) => Promise<WireAnswer>;
  /** Sends the sample request. A one-time operation gets its own organization. */
  readonly askSample: (declaration: Declaration, headers?: WireRequest['headers']) => Promise<WireAnswer>;
}

async function stage(): Promise<Stage> {
  const running = await service();
  const world = await sampleWorld(running);
  const person = await token(running);
  const ask: Stage['ask'] = (
    declaration,
    request,
    key = takesKeys(declaration) ? running.keys.readWrite : person.value,
  ) => send(running.origin, authorized(declaration, request, key));
  const askSample: Stage['askSample'] = async (declaration, headers = []) => {
    const own = sampleOf(declaration).once ? { ...running, ...(await running.tenant()) } : undefined;
    const sample = goodRequest(declaration, own ? await sampleWorld(own, [declaration]) : world);
    return ask(declaration, { ...sample, headers: [...(sample.headers ?? []), ...headers] }, own?.keys.readWrite);
  };
  return { ...running, world, ask, askSample };
}

const stages: Record<string, Promise<Stage>> = {};
const stageNamed = (name: string) => (stages[name] ??= stage());
/** One world for all requests that change nothing: reads and refusals. */
const sharedStage = (): Promise<Stage> => stageNamed('shared');
/** The world to send good requests to: changes stay in a world of their own. */
const stageFor = (declaration: Declaration): Promise<Stage> =>
  declaration.method === 'GET' ? sharedStage() : stageNamed('changed');

const NOBODY = {
  status: 'FAILED',
  error: 'Invalid authentication credentials. Send a valid one as `Authorization: Bearer <credential>`',
};
const READ_ONLY = {
  status: 'FAILED',
  error: 'This API key is Read Only. Use a Read & Write key for operations that change data',
};

const json = ({ body }: WireAnswer): unknown => JSON.parse(body.toString());

/** §7 */
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

describe.each(named(declarations))('%s', (_, declaration) => {
  const offersMarkdown = declaration.answers.includes('markdown');
  test('answers its sample request with a request id for the operator', async () => {
    const { ask, world } = await stageFor(declaration);
    const answer = await ask(declaration, goodRequest(declaration, world));
    expect({ status: answer.status, type: answer.headers['content-type'] }).toEqual({
      status: declaration.success,
      type: 'application/json',
    });
    expect(answer.headers['x-request-id']).toMatch(/^[\w-]{8,}$/);
  });

  test('returns JSON for any Accept header, or Markdown if the operation offers it', async () => {
    const { askSample } = await stageFor(declaration);
    const row = declarations.indexOf(declaration);
    const sample = offersMarkdown ? [MARKDOWN_ALONE, ...sampled(OTHERS, 6, row)] : sampled(ACCEPTED, 7, row);
    for (const accept of sample) {
      const answer = await askSample(declaration, [['accept', accept]]);
      expect(comparable(answer)).toMatchObject({
        status: declaration.success,
        headers: { 'content-type': offersMarkdown && accept === MARKDOWN_ALONE ? MARKDOWN : 'application/json' },
      });
    }
  });

  test('compresses JSON for clients that accept gzip, and sends it plain to others', async () => {
    const { askSample } = await stageFor(declaration);
    const accepting = (value: string) => askSample(declaration, [['accept-encoding', value]]);
    const [packed, plain] = [await accepting('br, gzip'), await accepting('gzip;q=0, br')];
    const isPacked = packed.headers['content-encoding'] === 'gzip';
    expect(Object.keys(Object(JSON.parse((isPacked ? gunzipSync(packed.body) : packed.body).toString())))).toEqual(
      Object.keys(Object(json(plain))),
    );
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(isPacked).toBe(plain.body.length >= 1024);
    expect(packed.headers.vary).toBe(offersMarkdown ? 'Accept, Accept-Encoding' : 'Accept-Encoding');
  });
});

const paths = [...Map.groupBy(declarations, ({ path }) => path)].map(([path, own], row) => [path, own, row] as const);

test.each(paths)('%s accepts only its own methods', async (_, own, row) => {
  const { world, origin, keys } = await sharedStage();
  const known: readonly string[] = own.map(({ method }) => method);
  const [path = ''] = own.map((declaration) => goodRequest(declaration, world).path);
  const others = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'].filter((method) => !known.includes(method));
  for (const method of sampled(others, 2, row)) {
    const headers = [['authorization', `Bearer ${keys.readWrite}`]] as const;
    expectRefusal(await send(origin, { method, path, headers }), 404);
  }
});

describe.each(named(withCredential))('%s', (_, declaration) => {
  const isWrite = declaration.permission === 'record' || declaration.permission.endsWith(':write');

  test('returns the same 401 for every invalid credential, whatever else is wrong', async () => {
    const { world, keys, origin } = await sharedStage();
    const alike = withCredential.filter(({ credential }) => credential === declaration.credential);
    const all = nobodies(declaration, world, keys.readWrite);
    const answers = await Promise.all(
      sampled(all, 15, alike.indexOf(declaration)).map((request) => send(origin, request)),
    );
    const [first, ...others] = answers.map(comparable);
    expect(first).toMatchObject({ status: 401, headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(first?.body ?? '')).toEqual(NOBODY);
    if (declaration.credential === 'header') {
      expect(first?.headers).toMatchObject({ 'www-authenticate': 'Bearer realm="rundown"' });
    }
    for (const other of others) expect(other).toEqual(first);
  });

  test(isWrite ? 'refuses a Read Only key, before it looks at the request' : 'serves a Read Only key', async () => {
    const { world, keys, ask } = await (isWrite ? sharedStage() : stageFor(declaration));
    if (!takesKeys(declaration)) return;
    const good = goodRequest(declaration, world);
    const answer = await ask(declaration, good, keys.readOnly);
    if (!isWrite) return void expect(answer.status).toBe(declaration.success);
    const bad = badRequest(declaration, { ...world, keys: { ...keys, readWrite: keys.readOnly } }) ?? good;
    // A key in the body is known only after the body is read.
    const broken = declaration.credential === 'header' ? [{ ...good, body: '{' }] : [];
    const others = [bad, ...broken].map((request) => ask(declaration, request, keys.readOnly));
    for (const refused of [answer, ...(await Promise.all(others))]) {
      expectRefusal(refused, 403);
      expect(json(refused)).toEqual(READ_ONLY);
    }
  });

  test('refuses an invalid request with 400, whether or not its ids exist', async () => {
    const { world, ask } = await sharedStage();
    const nowhere = { projectId: 'zzzzzz', runId: '0'.repeat(16), instanceId: '0'.repeat(32), hookId: 'zzzzzz' };
    const unknown = { ...world, ...nowhere };
    for (const ids of [world, unknown]) {
      const bad = badRequest(declaration, ids);
      if (bad) expectRefusal(await ask(declaration, bad), 400);
    }
  });

  test('has an invalid sample request, unless no request is invalid', () => {
    const takes = Object.keys(declaration.query.shape).length > 0 || declaration.body !== undefined;
    expect(sampleOf(declaration).bad !== undefined).toBe(takes);
  });
});
