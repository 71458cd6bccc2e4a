import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ProxyEvent } from '#shared/engine/http/event.ts';
import { actorFromBody } from '#shared/platform/from-body.ts';
import { unknownKey } from '#test/engine/http/bad-credentials.ts';
import { token } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';

const UNAUTHORIZED = { statusCode: 401 };

/** The actor of a request to an operation that accepts a key in the body. Encodes the body as JSON. */
async function resolve(stage: Awaited<ReturnType<typeof service>>, event: Partial<ProxyEvent>) {
  const body = event.body === undefined ? null : JSON.stringify(event.body);
  return actorFromBody()(stage.services, { ...event, body, isBase64Encoded: false } as ProxyEvent, 'record');
}

describe('§5 A record key in the request body', () => {
  test('A record key in the request body authenticates the request, unless a header contains a key', async () => {
    const stage = await service();
    const { readWrite, readOnly } = stage.keys;
    const actor = { kind: 'apiKey', organizationId: stage.organizationId, level: 'readWrite' };
    expect(await resolve(stage, { body: { recordKey: readWrite } })).toMatchObject(actor);
    expect(await resolve(stage, { multiValueHeaders: {}, body: { recordKey: readWrite } })).toMatchObject(actor);
    const headers = (value: string) => ({ multiValueHeaders: { 'x-currents-key': [value] } });
    expect(await resolve(stage, { ...headers(readWrite), body: { recordKey: readOnly } })).toMatchObject(actor);
    const named = resolve(stage, { ...headers(unknownKey()), body: { recordKey: readWrite } });
    await expect(named).rejects.toMatchObject(UNAUTHORIZED);
  });

  test('A record key in a compressed request body authenticates the request', async () => {
    const stage = await service();
    const body = gzipSync(JSON.stringify({ recordKey: stage.keys.readWrite })).toString('base64');
    const multiValueHeaders = { 'Content-Encoding': ['gzip'] };
    const event = { multiValueHeaders, body, isBase64Encoded: true } as Partial<ProxyEvent>;
    const actor = await actorFromBody()(stage.services, event as ProxyEvent, 'record');
    expect(actor).toMatchObject({ kind: 'apiKey', organizationId: stage.organizationId });
  });

  test.each([
    ['no content', undefined],
    ['the JSON value null', null],
    ['a string', 'recordKey'],
    ['a number', 7],
    ['a list', ['recordKey']],
    ['an object without a key', { projectId: 'abcdef' }],
    ['null as the key', { recordKey: null }],
    ['a list as the key', { recordKey: [] }],
    ['an object as the key', { recordKey: {} }],
    ['a number as the key', { recordKey: 7 }],
    ['an empty key', { recordKey: '' }],
    ['an unknown key', { recordKey: unknownKey() }],
  ])('A body with %s is refused with 401', async (_, body) => {
    const stage = await service();
    await expect(resolve(stage, { multiValueHeaders: {}, body })).rejects.toMatchObject(UNAUTHORIZED);
  });

  test('A record key that is a Read Only key or a personal access token is refused with 403', async () => {
    const stage = await service();
    const refusal = (recordKey: string) =>
      resolve(stage, { multiValueHeaders: {}, body: { recordKey } }).catch(({ statusCode, details }) => ({
        statusCode,
        ...details,
      }));
    expect(await refusal(stage.keys.readOnly)).toEqual({ statusCode: 403 });
    expect(await refusal((await token(stage)).value)).toEqual({ statusCode: 403, code: 'api_key_required' });
  });
});
