import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, test } from 'vitest';
import { Connections } from '#shared/sending/connections.ts';
import type { SendOutcome } from '#shared/sending/delivery-channel.ts';
import { SENDING_LIMITS } from '#shared/sending/limits.ts';
import { sendToWebhook } from '#shared/webhooks/send-to-webhook.ts';

let origin: string;

beforeAll(async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'hostile-receivers.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = await once(createInterface(child.stdout), 'line');
  origin = `http://127.0.0.1:${port}`;
  return () => void child.kill();
});

const connections = new Connections();

const post = (path: string): Promise<SendOutcome> =>
  sendToWebhook(
    { id: 'msg_1', url: `${origin}${path}`, headers: null, secrets: [], body: '{}' },
    {
      now: () => performance.now(),
      privateReceivers: 'machine' as const,
      kept: connections.of('hook-1', performance.now()),
    },
  );

/** The delay that is allowed for timers on a busy machine. */
const SLACK_MILLISECONDS = 1000;
const TIMED_OUT = 'The receiver did not complete its response within 10 seconds';
const LOST = 'The connection failed (ECONNRESET)';

const EXPECTED: Readonly<
  Record<string, Pick<SendOutcome['attempt'], 'statusCode' | 'error'> & Pick<SendOutcome, 'outcome'>>
> = {
  // The answer is cut off after 64 KB. The receiver already has the request, so the delivery counts as successful.
  '/huge': { outcome: 'delivered', statusCode: 200, error: null },
  '/bomb': { outcome: 'delivered', statusCode: 200, error: null },
  '/drip-body': { outcome: 'failed', statusCode: 200, error: TIMED_OUT },
  '/drip-headers': { outcome: 'failed', statusCode: null, error: TIMED_OUT },
  '/informs': { outcome: 'failed', statusCode: null, error: TIMED_OUT },
  '/silence': { outcome: 'failed', statusCode: null, error: TIMED_OUT },
  '/reset': { outcome: 'failed', statusCode: null, error: LOST },
  '/half': { outcome: 'failed', statusCode: 200, error: LOST },
  '/headers': { outcome: 'failed', statusCode: null, error: 'The connection failed (HPE_HEADER_OVERFLOW)' },
  '/nonsense': { outcome: 'failed', statusCode: null, error: 'The connection failed (HPE_INVALID_CONSTANT)' },
  '/upgrade': { outcome: 'failed', statusCode: null, error: 'The connection failed (closed)' },
};

describe('a hostile receiver', () => {
  test('can hold a delivery for at most 10 seconds, and can neither exhaust the memory nor delay other deliveries', async () => {
    await post('/good');
    const before = process.memoryUsage().rss;
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 20);
    const paths = Object.keys(EXPECTED);
    const hostile = Promise.all(paths.map(post));
    const good = await Promise.all(Array.from({ length: 20 }, () => post('/good')));
    const ended = await hostile;
    clearInterval(watch);
    for (const { outcome, attempt } of good) {
      expect(outcome).toBe('delivered');
      expect(attempt.latencyMs).toBeLessThan(SENDING_LIMITS.deliveryMilliseconds / 2);
    }
    for (const { attempt } of ended) {
      expect(attempt.latencyMs).toBeLessThan(SENDING_LIMITS.deliveryMilliseconds + SLACK_MILLISECONDS);
      expect(Buffer.byteLength(attempt.answer ?? '')).toBeLessThanOrEqual(3 * SENDING_LIMITS.deliveryAnswerKeptBytes);
    }
    const outcomes = ended.map(({ outcome, attempt: { statusCode, error } }) => ({ outcome, statusCode, error }));
    expect(Object.fromEntries(paths.map((path, place) => [path, outcomes[place]]))).toEqual(EXPECTED);
    expect((most - before) / 1024 / 1024).toBeLessThan(20);
    // The receiver can send more than the service reads, because sockets on both sides have buffers.
    expect(Number((await post('/poured')).attempt.answer)).toBeLessThan(20 * 1024 * 1024);
  });

  test('cannot redirect a delivery: a redirect counts as a failure, and no other request is sent', async () => {
    const requests = async () => Number((await post('/requests')).attempt.answer);
    const before = await requests();
    for (const path of ['/loop', '/away']) {
      const { outcome, attempt } = await post(path);
      expect(outcome).toBe('failed');
      expect(attempt.error).toMatch(/^The receiver answered 30[27]\. Redirects are not followed/);
    }
    expect(await requests()).toBe(before + 3);
  });

  test('cannot make the service store control or format characters, or more than 1 KB of its answer', async () => {
    expect((await post('/controls')).attempt.answer).toBe('\ufffd[31mred\ufffd\ufffd  \u0020end');
    expect((await post('/long')).attempt.answer).toBe('a'.repeat(1023));
  });
});
