/** An HTTP client that keeps several connections busy. */
import { Agent, request } from 'node:http';

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * Sends all requests over `connections` connections, and those of an inner list one after another. Returns the duration
 * in seconds. Throws unless every answer has the status 200 or 201.
 */
export async function secondsFor(
  origin: string,
  all: readonly (Sent | readonly Sent[])[],
  connections: number,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const waiting = all.values();
  const connection = async () => {
    for (const sent of waiting) for (const one of [sent].flat()) await send(origin, one, agent);
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: connections }, connection));
  const seconds = (performance.now() - started) / 1000;
  agent.destroy();
  return seconds;
}

function send(origin: string, { method, path, headers = {}, body }: Sent, agent: Agent): Promise<void> {
  const length: Record<string, number> = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const outgoing = request(origin + path, { method, agent, headers: { ...headers, ...length } }, (answer) => {
      answer.resume();
      answer.on('end', () => {
        if (answer.statusCode === 200 || answer.statusCode === 201) resolve();
        else reject(new Error(`${method} ${path} was answered with ${answer.statusCode}`));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
