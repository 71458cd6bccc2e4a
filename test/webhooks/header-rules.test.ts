import { describe, expect, test } from 'vitest';
import { findHeadersProblem, parseHeaders } from '#shared/webhooks/header-rules.ts';
import { sendToWebhook } from '#shared/webhooks/send-to-webhook.ts';
import { receiver } from '#test/harness/receiver.ts';
import { RESERVED } from './reserved-samples.ts';

const json = (headers: unknown): string => JSON.stringify(headers);
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, place) => [`X-${place}`, 'v']));

const HOSTILE: readonly (readonly [string, string])[] = [
  ...RESERVED.map((name) => [`the reserved name ${name}`, json({ [name]: 'smuggled' })] as const),
  ['a line break in a value', json({ 'X-A': 'a\r\nX-Smuggled: smuggled' })],
  ['a line feed alone', json({ 'X-A': 'a\nX-Smuggled: smuggled' })],
  ['a NUL in a value', json({ 'X-A': 'smuggled\0' })],
  ['a value beyond ASCII', json({ 'X-A': 'smugglé smuggled' })],
  ['a non-ASCII value whose low bytes are a line break', json({ 'X-A': 'a\u010d\u010asmuggled' })],
  ['a tab', json({ 'X-A': 'smuggled\tb' })],
  ['a space before a value', json({ 'X-A': ' smuggled' })],
  ['an empty value', json({ 'X-Smuggled': '' })],
  ['a line break in a name', json({ 'X-A\r\nX-Smuggled': 'smuggled' })],
  ['a colon in a name', json({ 'X-Smuggled:': 'smuggled' })],
  ['a space in a name', json({ 'X-Smuggled ': 'smuggled' })],
  ['an empty name', json({ '': 'smuggled' })],
  ['a name beyond ASCII', json({ Ｈｏｓｔ: 'smuggled' })],
  ['one name in two cases', json({ 'X-A': 'smuggled', 'x-a': 'smuggled' })],
  ['a number', json({ 'X-A': 1, 'X-Smuggled': 'smuggled' })],
  ['a list of values', json({ 'X-A': ['smuggled'] })],
  ['null as a value', json({ 'X-A': null, 'X-Smuggled': 'smuggled' })],
  ['twenty-one headers', json({ ...many(20), 'X-Smuggled': 'smuggled' })],
  ['more than 4,096 characters', json({ 'X-Smuggled': `smuggled${'a'.repeat(4096)}` })],
  ['a list', json([['X-Smuggled', 'smuggled']])],
  ['text', json('X-Smuggled: smuggled')],
  ['text that is not JSON', 'X-Smuggled: smuggled'],
  ['a JSON null', 'null'],
];

const post = (url: string, headers: string | null) =>
  sendToWebhook(
    { id: 'msg_1', url, headers, secrets: [], body: '{"event":"RUN_FINISH"}' },
    { now: () => Date.now(), privateReceivers: 'machine' as const },
  );

describe('the custom headers of a webhook', () => {
  test.each(HOSTILE)(
    'are refused with an error that says how to correct them, and nothing is sent, if they contain %s',
    async (_, headers) => {
      expect(findHeadersProblem(headers)).toMatch(/(Send|Use|Leave|Encode) /i);
      expect(parseHeaders(headers)).toEqual([]);
      const { url, received } = await receiver();
      const { outcome, attempt } = await post(url, headers);
      expect({ outcome, error: attempt.error }).toEqual({ outcome: 'failed', error: findHeadersProblem(headers) });
      expect(received).toEqual([]);
    },
  );

  test('The values of the custom headers of a webhook do not appear in errors, because they may be secrets', () => {
    for (const [, headers] of HOSTILE) expect(findHeadersProblem(headers)).not.toMatch(/smuggled(?!["-])/);
  });

  test('may have twenty entries with visible ASCII characters, and arrive as they were saved', async () => {
    const headers = {
      ...many(17),
      Authorization: 'Bearer abc  def',
      "X-Odd!#$%&'*+.^_`|~": '"(),/:;<=>?@[\\]{}',
      __proto__x: 'v',
    };
    expect(findHeadersProblem(json(headers))).toBeUndefined();
    const { url, received } = await receiver();
    expect((await post(url, json(headers))).outcome).toBe('delivered');
    for (const header of Object.entries(headers)) expect(received[0]?.headers).toContainEqual(header);
  });

  test('may be absent or empty', async () => {
    expect([parseHeaders(null), parseHeaders('{}'), findHeadersProblem('{}')]).toEqual([[], [], undefined]);
    const { url, received } = await receiver();
    for (const headers of [null, '{}']) expect((await post(url, headers)).outcome).toBe('delivered');
    const names = ['content-type', 'content-length', 'user-agent', 'x-timestamp', 'webhook-id', 'webhook-timestamp'];
    for (const { headers } of received) {
      expect(headers.map(([name]) => name.toLowerCase()).sort()).toEqual([...names, 'connection', 'host'].sort());
    }
  });

  test('may carry keys and tokens under the header names of common services', async () => {
    const names = [
      'Authorization',
      'X-Api-Key',
      'Api-Key',
      'X-Auth-Token',
      'X-Gitlab-Token',
      'X-Token',
      'X-Request-Id',
    ];
    const more = [
      'CF-Access-Client-Id',
      'CF-Access-Client-Secret',
      'X-Goog-Api-Key',
      'X-MS-Version',
      'Accept',
      'Prefer',
    ];
    const headers = Object.fromEntries(
      [...names, ...more, 'Idempotency-Key', 'traceparent'].map((name) => [name, 'v']),
    );
    expect(findHeadersProblem(json(headers))).toBeUndefined();
    const { url, received } = await receiver();
    expect((await post(url, json(headers))).outcome).toBe('delivered');
    for (const header of Object.entries(headers)) expect(received[0]?.headers).toContainEqual(header);
  });

  test('do not change the content type or the delivery id that the service sends', async () => {
    const { url, received } = await receiver();
    await post(url, json({ 'X-A': 'v', Accept: '*/*' }));
    expect(received[0]?.header('content-type')).toBe('application/json');
    expect(received[0]?.header('webhook-id')).toBe('msg_1');
  });
});
