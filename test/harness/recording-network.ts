/**
 * Simulates a reporter on a bad network: requests and responses are lost, repeated or delayed, and independent requests
 * arrive in a different order. The reporter still waits for responses that it needs, and keeps the messages of one test
 * in order.
 */
import fc from 'fast-check';
import { type Delivered, deliver, type Entry, learn, type Names } from './recording-replay.ts';

export interface Network {
  /**
   * The share of requests that fail, from 0 to 1. In half of these failures, the request is lost. In the other half,
   * the response is lost.
   */
  readonly loss: number;
  /** The share of answered requests that are sent again later, from 0 to 1. */
  readonly copies: number;
  /** The maximum number of concurrent requests, without those that `copies` sends again. */
  readonly atOnce: number;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Sends one request. Default: over HTTP. */
  readonly deliver?: typeof deliver;
}

interface Request {
  readonly entry: Entry;
  readonly number: number;
}

export type Answers = readonly Delivered[];

/**
 * Repeats each request until its response arrives. Returns all responses to each request, including lost ones, in the
 * order of `entries`.
 */
export async function recordOver(
  network: Network,
  { origin, entries, names }: { origin: string; entries: readonly Entry[]; names: Names },
): Promise<Answers[]> {
  const answers: Delivered[][] = entries.map(() => []);
  const waiting: Request[] = entries.map((entry, number) => ({ entry, number }));
  const late: Request[] = [];
  const send = async ({ entry, number }: Request): Promise<Delivered> => {
    const delivered = await (network.deliver ?? deliver)(origin, entry, names);
    answers[number]?.push(delivered);
    return delivered;
  };
  const attempt = async (request: Request): Promise<void> => {
    const fate = network.random();
    if (fate < network.loss / 2) return;
    const delivered = await send(request);
    if (fate < network.loss) return;
    learn(request.entry, delivered, names);
    waiting.splice(waiting.indexOf(request), 1);
    if (network.random() < network.copies) late.push(request);
  };
  while (waiting.length > 0) {
    const ready = waiting.filter((request) => isReady(request, waiting, names)).slice(0, network.atOnce * 2);
    const some = shuffled(ready, network.random).slice(0, 1 + Math.floor(network.random() * network.atOnce));
    const copies = late.splice(0, Math.floor(network.random() * (late.length + 1)));
    await Promise.all([...some.map(attempt), ...copies.map(send)]);
  }
  await Promise.all(late.map(send));
  return answers;
}

const NAME = /\{\{([^}]+)\}\}/g;

function isReady({ entry, number }: Request, waiting: readonly Request[], names: Names): boolean {
  const needed = [...JSON.stringify([entry.path, entry.body]).matchAll(NAME)].map(([, name = '']) => name);
  if (!needed.every((name) => names.has(name))) return false;
  return !waiting.some((other) => other.number < number && other.entry.path === entry.path && entry.method === 'PUT');
}

export function shuffled<Element>(all: readonly Element[], random: () => number): Element[] {
  const result = [...all];
  for (let end = result.length - 1; end > 0; end -= 1) {
    const other = Math.floor(random() * (end + 1));
    const one = result[end];
    const two = result[other];
    if (one !== undefined && two !== undefined) [result[end], result[other]] = [two, one];
  }
  return result;
}

const NUMBERS = 10_000;
const RANGE = 2 ** 31;

/**
 * Returns a generator of pseudorandom numbers from 0 (inclusive) to 1 (exclusive) with this seed. The sequence repeats
 * after 10,000 numbers.
 */
export function seeded(seed: number): () => number {
  const numbers = fc.sample(fc.noBias(fc.nat({ max: RANGE - 1 })), { seed, numRuns: NUMBERS });
  let next = 0;
  return () => (numbers[next++ % NUMBERS] ?? 0) / RANGE;
}
