/**
 * Interrupts work after each of its writes, delivers it again, and compares what is stored then with what an
 * uninterrupted delivery stores.
 */
import { expect } from 'vitest';
import { IS_DEEP } from './cases.ts';
import { mortal } from './interrupted-table.ts';
import { clock } from './service.ts';
import { contentOf, linesOf, restore } from './stored-content.ts';

export interface Work<Given extends object> {
  readonly environment: Readonly<Record<string, string>>;
  readonly services: Given;
  /** Does the work as its function does. */
  readonly handle: (services: Given) => Promise<unknown>;
  /** How many milliseconds later the work comes again. The leases of the dead worker have ended by then. */
  readonly againAfter?: number;
  /** What others have seen of the work, such as requests to a receiver: one text each. `forget` clears it. */
  readonly outside?: {
    readonly seen: () => readonly string[] | Promise<readonly string[]>;
    readonly forget: () => void;
  };
  /** Replaces in a stored row what may differ, such as a random id. An empty text leaves the row out. */
  readonly normal?: (line: string) => string;
  /** How many interruptions `npm test` tries. The deep run tries all. */
  readonly sample?: number;
}

export interface Interruptions {
  /** The writes of the uninterrupted work. */
  readonly writes: number;
  readonly interrupted: number;
  /** What differs from the uninterrupted work, per interruption. */
  readonly differing: readonly object[];
  /** What others saw more often than in the uninterrupted work. */
  readonly repeated: readonly string[];
}

/** The stored state must be that before the work. It is restored before each interruption. */
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
    // The last one is not interrupted, only delivered twice.
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

/** A slot that a dead call held is free again by its time. */
const isLease = (line: string) => line.includes('"pk":{"S":"SLOTS#');

/** All numbers of writes in the deep run. In `npm test`, some that are spread evenly. */
function interruptedAfter(writes: number, sample: number): number[] {
  const all = Array.from({ length: writes + 1 }, (_, after) => after);
  if (IS_DEEP || all.length <= sample) return all;
  return Array.from({ length: sample }, (_, place) => Math.round(((place + 1) * writes) / sample));
}

const missingIn = (found: readonly string[], wanted: readonly string[]): string[] => {
  const known = new Set(found);
  return wanted.filter((line) => !known.has(line));
};

/** Lines that occur more often in the second list. A second row may differ from the first in nothing but its time. */
const beyond = (all: readonly string[], others: readonly string[]): string[] =>
  [...new Set(others)].filter((line) => countOf(line, others) > countOf(line, all));

const countOf = (one: string, all: readonly string[]): number => all.filter((other) => other === one).length;
