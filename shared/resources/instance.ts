/** An instance: one spec file of one group of a run. Asked for: by id; all of a run. It is small and rewritten per test; its tests stand in its own partition. */

import { LIMITS } from '../limits.ts';
import { type CountedTest, count, type RecordedTestOutcome } from '../outcomes.ts';
import type { Entity } from '../table/entity.ts';
import { stored } from '../table/stored.ts';
import type { Condition } from '../table/update.ts';
import { memberKey } from './run.ts';

export interface Claim {
  /** Short name of the request, by which a repeated one is recognized. */
  readonly key: string;
  readonly machineId: string;
  /** Milliseconds. */
  readonly at: number;
}

/** Callers choose tags, and some names, such as `constructor`, mean something else to whatever takes objects for maps. */
type TagName = `#${string}`;
export const tagName = (tag: string): TagName => `#${tag}`;

export interface Instance {
  readonly organizationId: string;
  readonly runId: string;
  readonly instanceId: string;
  readonly groupId: string;
  readonly spec: string;
  /** Milliseconds. */
  readonly createdAt: number;
  readonly claims: readonly Claim[];
  readonly worker?: { readonly workerIndex: number; readonly parallelIndex: number };
  /** Each test by its short name; an empty text is a test that is still expected. */
  readonly results: Readonly<Record<string, string>>;
  /** Milliseconds; the time of a batch upload's results. */
  readonly recordedAt?: number;
  readonly completedAt?: number;
  /** When a result last came, in milliseconds. */
  readonly heardAt?: number;
  /** The tests' own tags, of those that reported, each by `tagName`. */
  readonly testTags: Readonly<Record<TagName, true>>;
  /** Counts changes of `results`, so that older details never replace newer ones. */
  readonly version: number;
}

export const instances: Entity<Pick<Instance, 'organizationId' | 'runId' | 'instanceId'>, Instance> = {
  type: 'instance',
  patterns: [
    { question: 'An instance by id (which begins with its run id)', key: 'pk = RUN#org#run, sk = INSTANCE#instance' },
    { question: 'All instances of a run', key: 'pk = RUN#org#run, sk begins with INSTANCE#' },
  ],
  key: (instance) => memberKey(instance, 'INSTANCE', instance.instanceId),
  store: (instance) => ({ ...instance }),
  load: (row) => stored<Instance>(row),
};

const letters = { passed: 'p', failed: 'f', pending: 'n', skipped: 's' } as const satisfies Record<
  RecordedTestOutcome,
  string
>;
const outcomes: Readonly<Record<string, RecordedTestOutcome>> = {
  p: 'passed',
  f: 'failed',
  n: 'pending',
  s: 'skipped',
};
const FLAKY = 'y';
const RESULT = /^[0-9a-z]{4}([pfns])(y?)(\d+)$/;
const SEQUENCE_CHARACTERS = 4;
const LAST_SEQUENCE = 36 ** SEQUENCE_CHARACTERS - 1;

/**
 * `0003py2`: message 3, passed, flaky, two retries. A few bytes per test keep the row within one write unit, and texts
 * of later messages compare as greater.
 */
export const encodeResult = ({ outcome, flaky, retries }: CountedTest, sequence: number): string =>
  `${Math.min(sequence, LAST_SEQUENCE).toString(36).padStart(SEQUENCE_CHARACTERS, '0')}${letters[outcome]}${flaky ? FLAKY : ''}${retries}`;

/** A text that no result of a later message is smaller than. */
export const resultBound = (sequence: number): string =>
  `${Math.min(sequence, LAST_SEQUENCE).toString(36).padStart(SEQUENCE_CHARACTERS, '0')}~`;

function decodeResult(text: string): CountedTest | undefined {
  const [, letter = '', flaky, retries] = RESULT.exec(text) ?? [];
  const outcome = outcomes[letter];
  return outcome && { outcome, flaky: flaky === FLAKY, retries: Number(retries) };
}

export const tagsOf = ({ testTags }: Pick<Instance, 'testTags'>): string[] =>
  Object.keys(testTags).map((name) => name.slice(tagName('').length));

/** Tags and results share an item of the table, and the results come first. */
export const HAS_ROOM_FOR_TAGS: Condition = { path: 'testTags', fewerEntriesThan: LIMITS.tagsPerSpec };
export const hasRoomForTags = (instance: Pick<Instance, 'testTags'> | undefined): boolean =>
  instance === undefined || tagsOf(instance).length < LIMITS.tagsPerSpec;

/** As many of them as there is room for. */
export function withTags(known: Instance['testTags'], tags: readonly string[]): Instance['testTags'] {
  const names = new Set([...Object.keys(known), ...tags.map(tagName)]);
  return Object.fromEntries([...names].slice(0, LIMITS.tagsPerSpec).map((name) => [name, true as const]));
}

/** Tests that reported, each with its short name. */
export const resultsOf = ({ results }: Pick<Instance, 'results'>): [string, CountedTest][] =>
  Object.entries(results).flatMap(([testKey, text]): [string, CountedTest][] => {
    const result = decodeResult(text);
    return result ? [[testKey, result]] : [];
  });

export const reportedTests = (instance: Pick<Instance, 'results'>): CountedTest[] =>
  resultsOf(instance).map(([, result]) => result);

export const countersOf = (instance: Pick<Instance, 'results'>) => count(reportedTests(instance));

/** Every expected test of the spec is final. */
export const isComplete = ({ results }: Pick<Instance, 'results'>): boolean =>
  Object.values(results).every((text) => text !== '');
