/** Request bodies that are cheap to send and expensive to read, just below the limits and above them. */
import { BODY_LIMITS } from '#shared/engine/http/limits.ts';
import { LIFECYCLE_LIMITS } from '#shared/lifecycle/limits.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';

const MEGABYTE = 1024 * 1024;
const listOf = (count: number, element: (n: number) => string): string =>
  `[${Array.from({ length: count }, (_, n) => element(n)).join(',')}]`;

/**
 * The number of objects and arrays in a generated value. It is slightly below the limit, because the surrounding
 * properties count as well.
 */
const CONTAINERS = BODY_LIMITS.containers - 100;
const PARTS = BODY_LIMITS.parts - 100;
const FORMS = BODY_LIMITS.forms - 100;
const STRINGS = BODY_LIMITS.strings - 100;
const WORDS = BODY_LIMITS.words - 100;
const BYTES = BODY_LIMITS.bytes - 1000;

/** Values for one property of a body. The keys describe the values. */
export const HOSTILE: Readonly<Record<string, () => string>> = {
  'seven million objects': () => listOf(7_000_000, () => '{}'),
  'seven million arrays': () => listOf(7_000_000, () => '[]'),
  'ten million numbers': () => listOf(10_000_000, () => '1'),
  'two million strings': () => listOf(2_000_000, (n) => `"text ${n % 100}"`),
  'a million names of one object': () => `{${Array.from({ length: 1_000_000 }, (_, n) => `"k${n}":1`).join(',')}}`,
  'ten million levels': () => `${'['.repeat(10_000_000)}${']'.repeat(10_000_000)}`,
  'objects up to the limit': () => listOf(CONTAINERS, () => '{}'),
  'arrays up to the limit': () => listOf(CONTAINERS, () => '[]'),
  'objects of two members up to the limit': () => listOf(Math.floor(PARTS / 3), (n) => `{"a":${n}.5,"b":null}`),
  'numbers up to the limit': () => listOf(PARTS, (n) => `${n}.25`),
  'different short strings up to the limit': () => listOf(WORDS, (n) => `"${n}"`),
  'long strings up to the limit': () => listOf(STRINGS, (n) => `"some longer text ${n}"`),
  'names of one object up to the limit': () => `{${Array.from({ length: FORMS }, (_, n) => `"k${n}":1`).join(',')}}`,
  'different objects up to the limit': () => listOf(CONTAINERS, (n) => `{"k${n % FORMS}":1}`),
  'one repeated name up to the limit': () => `{${Array.from({ length: FORMS }, () => '"a":1').join(',')}}`,
  'long names up to the limit': () =>
    listOf(FORMS, (n) => `{"${String(n).padStart(BODY_LIMITS.nameBytes, 'k')}":${n}}`),
  'levels up to the limit': () =>
    listOf(3500, () => `${'['.repeat(BODY_LIMITS.depth - 3)}${']'.repeat(BODY_LIMITS.depth - 3)}`),
  'one string as long as a body': () => `"${'x'.repeat(BYTES)}"`,
  'one string of escapes': () => `"${'\\n'.repeat(BYTES / 2)}"`,
  'one number as long as a body': () => '1'.repeat(BYTES),
  blanks: () => `${' '.repeat(BYTES)}1`,
  prototypes: () => listOf(CONTAINERS, () => '{"__proto__":{}}'),
};

/** Invalid values for properties that recording validates, by property. */
export const INVALID: Readonly<Record<string, () => string>> = {
  instances: () => listOf(RECORDING_LIMITS.instancesPerCall, () => '{"results":{"tests":[{},{},{}]}}'),
  fullTestSuite: () => listOf(LIFECYCLE_LIMITS.groupsPerRun, () => `{"tests":${listOf(340, () => '{}')}}`),
  tags: () => listOf(CONTAINERS, () => '{}'),
};

/** The largest suite of a run, as reporters send it. */
export const largestSuite = (): string =>
  `[{"name":"retail","tags":[],"tests":${listOf(MODEL_LIMITS.testsPerRun, (n) =>
    JSON.stringify({
      title: ['the cart', `sums up case ${n}`],
      spec: `tests/cart/part-${n % 500}.spec.ts`,
      tags: [],
      testId: (n * 7919).toString(16).padStart(16, 'a'),
    }),
  )}}]`;

/** Ten megabytes of finished tests with steps and errors. */
export const largeInstances = (): string => {
  const step = {
    title: 'expect.toBe',
    category: 'expect',
    duration: 3,
    startTime: '2026-11-02T09:58:00.000Z',
    steps: [],
  };
  const errors = [{ message: 'Error: no', stack: 'at the line of the code\n'.repeat(60) }];
  const attempts = [{ _s: 'failed', status: 'failed', attempt: 0, duration: 9, errors, steps: Array(20).fill(step) }];
  const test = (n: number) => ({
    testId: `t${n}`,
    title: ['sums', `${n}`],
    state: 'failed',
    attempts,
    annotations: [],
  });
  return listOf(Math.ceil((10 * MEGABYTE) / 350_000), (n) =>
    JSON.stringify({
      groupId: 'retail',
      spec: `cart-${n}.spec.ts`,
      results: { tests: Array.from({ length: 80 }, (_, index) => test(index)) },
    }),
  );
};
