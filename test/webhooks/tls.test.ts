import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sendToWebhook } from '#shared/webhooks/send-to-webhook.ts';

const TLS = join(import.meta.dirname, '../samples/tls');

async function secureReceiver() {
  const [key, cert] = await Promise.all(
    ['key.pem', 'certificate.pem'].map((name) => readFile(join(TLS, name), 'utf8')),
  );
  if (key === undefined || cert === undefined) throw new Error('The certificate is missing');
  const received: { host: string | undefined; body: string }[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    void text(request).then((body) => {
      received.push({ host: request.headers.host, body });
      response.end('ok');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = address === null || typeof address === 'string' ? 0 : address.port;
  const post = (name: string) =>
    sendToWebhook(
      { id: 'msg_1', url: `https://${name}:${port}/hook`, headers: null, secrets: [], body: '{"event":"RUN_START"}' },
      {
        now: () => Date.now(),
        privateReceivers: 'machine' as const,
        lookup: (_, { all }, answer) =>
          all ? answer(null, [{ address: '127.0.0.1', family: 4 }]) : answer(null, '127.0.0.1', 4),
      },
    );
  return { cert, port, received, post };
}

function trust(certificate: string): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, certificate]);
  onTestFinished(() => setDefaultCACertificates(before));
}

describe('a delivery over TLS', () => {
  test('reaches a receiver whose certificate matches the host name', async () => {
    const { cert, port, received, post } = await secureReceiver();
    trust(cert);
    expect(await post('receiver.example')).toMatchObject({ outcome: 'delivered', attempt: { answer: 'ok' } });
    expect(received).toEqual([{ host: `receiver.example:${port}`, body: '{"event":"RUN_START"}' }]);
  });

  test('sends nothing to a receiver whose certificate is self-signed or for another host name', async () => {
    const { cert, received, post } = await secureReceiver();
    const errors = [(await post('receiver.example')).attempt.error];
    trust(cert);
    errors.push((await post('other.example')).attempt.error);
    expect(errors).toEqual([
      'The connection failed (DEPTH_ZERO_SELF_SIGNED_CERT)',
      'The connection failed (ERR_TLS_CERT_ALTNAME_INVALID)',
    ]);
    expect(received).toEqual([]);
  });
});
