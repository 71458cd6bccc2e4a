import { describe, expect, test } from 'vitest';
import { callerFromBody } from '#shared/credentials/from-body.ts';
import type { ProxyEvent } from '#shared/http/event.ts';
import { token } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';
import { unknownKey } from '#test/http/bad-credentials.ts';

const UNAUTHORIZED = { statusCode: 401 };
const RECORD = { permission: 'record', callers: ['apiKey'] } as const;

/** Who a request of these headers and this body is, as an operation whose key is in its body sees it. */
async function resolve(stage: Awaited<ReturnType<typeof service>>, event: Partial<ProxyEvent>, demand = RECORD) {
  return callerFromBody()(stage.services, event as ProxyEvent, demand);
}

describe('§5 A key in the body', () => {
  test('is the caller’s where no header names one', async () => {
    const stage = await service();
    const { readWrite, readOnly } = stage.keys;
    const caller = { kind: 'apiKey', organizationId: stage.organizationId, level: 'readWrite' };
    expect(await resolve(stage, { body: { recordKey: readWrite } })).toMatchObject(caller);
    expect(await resolve(stage, { multiValueHeaders: {}, body: { recordKey: readWrite } })).toMatchObject(caller);
    const headers = (value: string) => ({ multiValueHeaders: { 'x-currents-key': [value] } });
    expect(await resolve(stage, { ...headers(readWrite), body: { recordKey: readOnly } })).toMatchObject(caller);
    const named = resolve(stage, { ...headers(unknownKey()), body: { recordKey: readWrite } });
    await expect(named).rejects.toMatchObject(UNAUTHORIZED);
  });

  test.each([
    ['no body', undefined],
    ['null', null],
    ['text', 'recordKey'],
    ['a number', 7],
    ['a list', ['recordKey']],
    ['an object without it', { projectId: 'abcdef' }],
    ['null in its place', { recordKey: null }],
    ['a list in its place', { recordKey: [] }],
    ['an object in its place', { recordKey: {} }],
    ['a number in its place', { recordKey: 7 }],
    ['an empty text in its place', { recordKey: '' }],
    ['a key of nobody', { recordKey: unknownKey() }],
  ])('is missed in %s as in any other request without a credential', async (_, body) => {
    const stage = await service();
    await expect(resolve(stage, { multiValueHeaders: {}, body })).rejects.toMatchObject(UNAUTHORIZED);
  });

  test('is refused for its level or its kind as in a header', async () => {
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
