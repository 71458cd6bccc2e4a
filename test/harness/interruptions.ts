/**
 * Interrupts work after each of its writes, delivers it again, and compares what is then stored with the result of an
 * uninterrupted delivery.
 */
import { expect } from 'vitest';
import { IS_DEEP } from './cases.ts';
import { mortal } from './interrupted-table.ts';
import { clock } from './service.ts';
import { contentOf, linesOf, restore } from './stored-content.ts';

export interface Work<Given extends object> {
  readonly environment: Readonly<Record<string, string>>;
  readonly services: Given;
  /** Does the work as the deployed function does. */
  readonly handle: (services: Given) => Promise<unknown>;
  /** Milliseconds until the work is delivered again. Leases of the dead worker have expired by then. */
  readonly againAfter?: number;
  /**
   * Effects of the work outside of the service, such as requests to a receiver, each as a string. `forget` clears them.
   */
  readonly outside?: {
    readonly seen: () => readonly string[] | Promise<readonly string[]>;
    readonly forget: () => void;
  };
  /** Replaces what may differ in a stored row, such as a random id. An empty string drops the row. */
  readonly normal?: (line: string) => string;
  /** The number of interruptions that `npm test` tries. The deep run tries all. */
  readonly sample?: number;
}

export interface Interruptions {
  /** The number of writes of the uninterrupted work. */
  readonly writes: number;
  readonly interrupted: number;
  /** Differences from the uninterrupted work, per interruption. */
  readonly differing: readonly object[];
  /** Outside effects that happened more often than in the uninterrupted work. */
  readonly repeated: readonly string[];
}

/**
 * Does the work once without and often with an interruption. Call it in the state before the work, which it restores
 * each time.
 */
export async function interruptions<Given extends object>(work: Work<Given>): Promise<Interruptions> {
  const { environment, services, handle, againAfter = 0, outside, normal = (line) => line, sample = 2 } = work;
  const before = await contentOf(environment);
  const now = Date.now();
  const normalized = (lines: readonly string[]) =>
    lines.flatMap((line) => (isLease(line) ? [] : normal(line))).filter((line) => line !== '');
  const stored = async () => normalized(linesOf(await contentOf(environment)));
  const seen = async () => [...((await outside?.seen()) ?? [])].map(normal);
  const begin = async () => {
    await restore(environment, before);
    clock.set(now);
    outside?.forget();
  };

  outside?.forget();
  const whole = mortal(services, Number.POSITIVE_INFINITY);
  await handle(whole.services);
  await whole.settled();
  const writes = whole.writes();
  const expected = { stored: await stored(), seen: await seen() };
  expect(expected.stored, 'The work stores something').not.toEqual(normalized(linesOf(before)));

  const differing: object[] = [];
  const repeated = new Set<string>();
  const tried = interruptedAfter(writes, sample);
  for (const after of tried) {
    await begin();
    const { services: dying, hasDied, settled } = mortal(services, after);
    await handle(dying).catch((error: unknown) => {
      if (!hasDied()) throw error;
    });
    await settled();
    // The last delivery is not interrupted, only repeated.
    expect({ after, hasDied: hasDied() }).toEqual({ after, hasDied: after < writes });
    clock.advance(againAfter);
    await handle(services);
    const found = { stored: await stored(), seen: await seen() };
    const difference = {
      lost: [...beyond(found.stored, expected.stored), ...missingIn(found.seen, expected.seen)],
      added: [...beyond(expected.stored, found.stored), ...missingIn(expected.seen, found.seen)],
    };
    if (difference.lost.length + difference.added.length > 0) differing.push({ after, ...difference });
    for (const one of expected.seen) if (countOf(one, found.seen) > countOf(one, expected.seen)) repeated.add(one);
  }
  await begin();
  return { writes, interrupted: tried.length, differing, repeated: [...repeated].sort() };
}

/** A slot that a dead call holds expires on its own. */
const isLease = (line: string) => line.includes('"pk":{"S":"SLOTS#');

/** All numbers of writes in the deep run, and an evenly spread sample of them in `npm test`. */
function interruptedAfter(writes: number, sample: number): number[] {
  const all = Array.from({ length: writes + 1 }, (_, after) => after);
  if (IS_DEEP || all.length <= sample) return all;
  return Array.from({ length: sample }, (_, place) => Math.round(((place + 1) * writes) / sample));
}

const missingIn = (found: readonly string[], wanted: readonly string[]): string[] => {
  const known = new Set(found);
  return wanted.filter((line) => !known.has(line));
};

/** Lines that occur more often in the second list. They are counted, because rows may differ only in a normalized time. */
const beyond = (all: readonly string[], others: readonly string[]): string[] =>
  [...new Set(others)].filter((line) => countOf(line, others) > countOf(line, all));

const countOf = (one: string, all: readonly string[]): number => all.filter((other) => other === one).length;
