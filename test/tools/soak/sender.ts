/** Sends requests, and counts the statuses of the answers. */
import * as z from 'zod';

export const AGENT_HEADERS = { accept: 'application/json, text/event-stream' } as const;

interface Sent {
  /** The expected status. */
  readonly status: number;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes are sent unchanged, and any other body is sent as JSON. */
  readonly body?: object;
}

/** Sends a request. Returns the properties of a JSON answer, and no properties for any other answer. */
export type Sender = (sent: Sent) => Promise<Readonly<Record<string, unknown>>>;

const TIMEOUT_MILLISECONDS = 60_000;
const Members = z.record(z.string(), z.unknown());

export class Counts {
  /** The number of answers with an expected status, by status. */
  readonly expected = new Map<number, number>();
  readonly unexpected: string[] = [];
  /** The time until each answer in milliseconds, by part of the soak test. */
  readonly times = new Map<string, number[]>();

  get total(): number {
    return this.unexpected.length + [...this.expected.values()].reduce((sum, count) => sum + count, 0);
  }
}

/**
 * Thrown after a request without an answer or with an unexpected status has been counted. This error ends the user's
 * current round of requests.
 */
export class Unexpected extends Error {}

export const senderTo =
  (origin: string, counts: Counts, partOf: () => string): Sender =>
  async ({ status, method, path, headers, body }) => {
    const began = performance.now();
    const response = await fetch(origin + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
      headers: { 'content-type': 'application/json', ...headers },
      ...(body ? { body: body instanceof Uint8Array ? Uint8Array.from(body) : JSON.stringify(body) } : {}),
    }).catch((error: Error) => {
      counts.unexpected.push(`${method} ${path}: no answer (${error.message}), expected ${status}`);
      throw new Unexpected();
    });
    const text = await response.text();
    const part = partOf();
    counts.times.set(part, [...(counts.times.get(part) ?? []), performance.now() - began]);
    if (response.status !== status) {
      counts.unexpected.push(`${method} ${path}: ${response.status}, expected ${status}: ${text.slice(0, 200)}`);
      throw new Unexpected();
    }
    counts.expected.set(status, (counts.expected.get(status) ?? 0) + 1);
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return isJson ? (Members.safeParse(JSON.parse(text || '{}')).data ?? {}) : {};
  };
