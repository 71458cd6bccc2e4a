/** Sends requests as raw bytes, because `fetch` would normalize them. */
import { connect } from 'node:net';

export interface WireAnswer {
  readonly status: number;
  /** The last value of each header, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends the text with one byte per character, ends the request, and reads the whole response. */
export async function sendText(origin: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  // A server that refuses a request may close the connection early.
  const closed = new Promise((resolve) => socket.on('error', () => {}).on('close', resolve));
  socket.end(text, 'latin1');
  await closed;
  return Buffer.concat(chunks).toString();
}

/** Sends a request without a body. `requestLine` is, for example, `GET /path`, and each header is a line. */
export async function sendRequest(
  origin: string,
  requestLine: string,
  headers: readonly string[] = [],
): Promise<WireAnswer> {
  const lines = [`${requestLine} HTTP/1.1`, `Host: ${new URL(origin).host}`, 'Connection: close', ...headers];
  const answer = await sendText(origin, `${lines.join('\r\n')}\r\n\r\n`);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [statusLine = '', ...headerLines] = head.split('\r\n');
  const pairs = headerLines.map((line) => line.split(/:\s*(.*)/s));
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(pairs.map(([name = '', value = '']) => [name.toLowerCase(), value])),
    body,
  };
}
