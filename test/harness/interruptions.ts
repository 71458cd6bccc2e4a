/**
 * Interrupts a job after one of its writes, runs the job again, and compares what is then stored with the result of an
 * uninterrupted job. Repeats this for other writes. `npm test` tries only some of them.
 */
import { expect } from 'vitest';
import { makeRecentFacts } from '#shared/model/results/recent-facts.ts';
import { IS_DEEP } from './cases.ts';
import { mortal } from './interrupted-table.ts';
import { clock } from './service.ts';
import { contentOf, linesOf, restore } from './stored-content.ts';

export interface Work<Given extends object> {
  readonly environment: Readonly<Record<string, string>>;
  readonly services: Given;
  /** Runs the job as the deployed function does. */
  readonly handle: (services: Given) => Promise<unknown>;
  /** The milliseconds after which the job runs again. By then, the leases of the interrupted worker have expired. */
  readonly againAfter?: number;
  /**
   * Effects of the job outside the service, such as requests to a receiver, each as a string. `forget` clears the list.
   */
  readonly outside?: {
    readonly seen: () => readonly string[] | Promise<readonly string[]>;
    readonly forget: () => void;
  };
  /**
   * Replaces the parts of a stored row or an outside effect that may differ, such as a random id. If this function
   * returns an empty string for a row, the row is ignored.
   */
  readonly normal?: (line: string) => string;
  /**
   * Whether the interrupted job may leave several rows that `normal` makes equal to this one, instead of one. They must
   * be rows of work that is safe to repeat.
   */
  readonly mayRepeat?: (line: string) => boolean;
  /** The number of interruptions that `npm test` tries. `npm run test:deep` tries all. */
  readonly sample?: number;
}

export interface Interruptions {
  /** The number of writes of the uninterrupted job. */
  readonly writes: number;
  readonly interrupted: number;
  /** The differences from the uninterrupted job, one entry per interruption that caused any. */
  readonly differing: readonly object[];
  /** The outside effects that happened more often than in the uninterrupted job. */
  readonly repeated: readonly string[];
}

/**
 * Runs the job once without an interruption, and then several times with one interruption each. Call this function
 * before the job has run. It restores the initial state before each further run and at the end.
 */
export async function interruptions<Given extends object>(work: Work<Given>): Promise<Interruptions> {
  const { environment, services, handle, againAfter = 0, outside, sample = 2 } = work;
  const { normal = (line) => line, mayRepeat = () => false } = work;
  const before = await contentOf(environment);
  const now = Date.now();
  const normalized = (lines: readonly string[]) =>
    lines.flatMap((line) => (isLease(line) || isUsage(line) ? [] : normal(line))).filter((line) => line !== '');
  const stored = async () => normalized(linesOf(await contentOf(environment)));
  const seen = async () => [...((await outside?.seen()) ?? [])].map(normal);
  const begin = async () => {
    await restore(environment, before);
    clock.set(now);
    outside?.forget();
  };

  outside?.forget();
  const whole = mortal(inNewContainer(services), Number.POSITIVE_INFINITY);
  await handle(whole.services);
  await whole.settled();
  const writes = whole.writes();
  const expected = { stored: await stored(), seen: await seen() };
  expect(expected.stored, 'The uninterrupted job must store something').not.toEqual(normalized(linesOf(before)));

  const isExtra = (line: string) => !(mayRepeat(line) && expected.stored.includes(line));

  const differing: object[] = [];
  const repeated = new Set<string>();
  const tried = interruptedAfter(writes, sample);
  for (const after of tried) {
    await begin();
    const { services: dying, hasDied, settled } = mortal(inNewContainer(services), after);
    await handle(dying).catch((error: unknown) => {
      if (!hasDied()) throw error;
    });
    await settled();
    // If `after` is the number of all writes, the job is complete before it can be interrupted. It still runs twice.
    expect({ after, hasDied: hasDied() }).toEqual({ after, hasDied: after < writes });
    clock.advance(againAfter);
    await handle(inNewContainer(services));
    const found = { stored: await stored(), seen: await seen() };
    const difference = {
      lost: [...beyond(found.stored, expected.stored), ...missingIn(found.seen, expected.seen)],
      added: [...beyond(expected.stored, found.stored).filter(isExtra), ...missingIn(expected.seen, found.seen)],
    };
    if (difference.lost.length + difference.added.length > 0) differing.push({ after, ...difference });
    for (const one of expected.seen) if (countOf(one, found.seen) > countOf(one, expected.seen)) repeated.add(one);
  }
  await begin();
  return { writes, interrupted: tried.length, differing, repeated: [...repeated].sort() };
}

/** Nothing that an interrupted call has remembered outlives it. */
const inNewContainer = <Given extends object>(services: Given): Given =>
  'recent' in services ? { ...services, recent: makeRecentFacts() } : services;

/**
 * Whether a row is the lease of a slot. These rows are ignored, because the lease of an interrupted call expires by
 * itself.
 */
const isLease = (line: string) => line.includes('"pk":{"S":"SLOTS#');

/** Whether a row counts stored bytes. An interruption may make the count wrong until the next nightly measurement. */
const isUsage = (line: string) => line.includes('"pk":{"S":"USAGE#');

/**
 * The numbers of writes after which to interrupt: all of them in `npm run test:deep`, and an evenly spread sample in
 * `npm test`.
 */
function interruptedAfter(writes: number, sample: number): number[] {
  const all = Array.from({ length: writes + 1 }, (_, after) => after);
  if (IS_DEEP || all.length <= sample) return all;
  return Array.from({ length: sample }, (_, place) => Math.round(((place + 1) * writes) / sample));
}

const missingIn = (found: readonly string[], wanted: readonly string[]): string[] => {
  const known = new Set(found);
  return wanted.filter((line) => !known.has(line));
};

/**
 * The lines that occur more often in `others` than in `all`. Occurrences are counted, because different rows may become
 * equal when their times are normalized.
 */
const beyond = (all: readonly string[], others: readonly string[]): string[] =>
  [...new Set(others)].filter((line) => countOf(line, others) > countOf(line, all));

const countOf = (one: string, all: readonly string[]): number => all.filter((other) => other === one).length;
