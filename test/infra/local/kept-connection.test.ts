import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bind, getPort } from '#infra/local/host/loopback.ts';
import { post } from '#infra/local/stores/kept-connection.ts';

const BODY = 'ünï 🎉'.repeat(3);
const answerOf = (body: string) =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\nx: y\r\n\r\n${body}`;

/** Starts an engine that answers each request with `answer`. `sockets` has all connections that were ever opened. */
async function engine(answer: (socket: Socket, request: string) => unknown) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('data', (chunk) => void answer(socket, String(chunk)));
  });
  await bind(server, 0);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { origin: `http://127.0.0.1:${getPort(server)}`, sockets };
}

describe('A request over a kept connection', () => {
  test('A response that arrives byte by byte is complete', async () => {
    const { origin } = await engine(async (socket) => {
      socket.setNoDelay(true);
      for (const byte of Buffer.from(answerOf(BODY))) {
        socket.write(Uint8Array.of(byte));
        await setImmediate();
      }
    });
    expect(await post(origin, '', '{}')).toEqual({ status: 200, body: BODY });
  });

  test('The engine receives the headers, the length in bytes and the body', async () => {
    const { origin } = await engine((socket, request) => socket.write(answerOf(request)));
    const { body } = await post(origin, 'a: b\r\n', BODY);
    const host = new URL(origin).host;
    expect(body).toBe(
      `POST / HTTP/1.1\r\nhost: ${host}\r\na: b\r\ncontent-length: ${Buffer.byteLength(BODY)}\r\n\r\n${BODY}`,
    );
  });

  test('Requests one after another share a connection, and concurrent requests get the responses to their own bodies', async () => {
    const { origin, sockets } = await engine((socket, request) => {
      const body = request.slice(request.indexOf('\r\n\r\n') + 4);
      // The first of the concurrent requests is answered last.
      setTimeout(() => socket.write(answerOf(body)), body === '0' ? 20 : 0);
    });
    await post(origin, '', 'a');
    await post(origin, '', 'b');
    expect(sockets).toHaveLength(1);
    const bodies = ['0', '1', '2'];
    const answers = await Promise.all(bodies.map((body) => post(origin, '', body)));
    expect(answers.map(({ body }) => body)).toEqual(bodies);
    expect(sockets).toHaveLength(3);
  });

  test('A connection that the engine closed is not used again', async () => {
    const { origin, sockets } = await engine((socket) => socket.end(answerOf(BODY)));
    for (const times of [1, 2]) {
      expect((await post(origin, '', '{}')).body).toBe(BODY);
      const [socket] = sockets.slice(-1);
      if (socket && !socket.closed) await once(socket, 'close');
      await setImmediate();
      expect(sockets).toHaveLength(times);
    }
  });

  test.each([
    ['ends before its end', 'was closed before the response was complete', answerOf(BODY).slice(0, -1)],
    ['ends in its head', 'was closed before the response was complete', 'HTTP/1.1 200 OK\r\nContent'],
    ['has no length', 'has no length', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ])('A response that %s is an error', async (_, problem, answer) => {
    const { origin } = await engine((socket) => socket.end(answer));
    await expect(post(origin, '', '{}')).rejects.toThrow(problem);
  });

  test('A port on which nothing listens is an error', async () => {
    await expect(post('http://127.0.0.1:1', '', '{}')).rejects.toThrow('ECONNREFUSED');
  });
});
