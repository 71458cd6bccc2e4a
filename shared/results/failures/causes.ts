/**
 * Groups the failures of a run by cause: by what their errors have in common. A value that many tests received says
 * more than the message of one matcher.
 */
import { computeDigest } from '#shared/engine/table/keys.ts';
import type { FailureTraits } from '#shared/model/results/failures.ts';
import type { FailureCause } from '../comparisons/comparison-wire.ts';
import { compareTexts } from '../contains.ts';
import { RESULT_LIMITS } from '../limits.ts';
import type { MarkedTest } from './marked-tests.ts';

export interface Cause {
  /** Stays the same for the failures of a run. */
  readonly id: string;
  /** In words, without the values that differ. Secrets in it are masked. */
  readonly text: string;
  readonly tests: readonly MarkedTest[];
  /** The received values with the number of their tests, the most frequent first. Long values are missing. */
  readonly received: readonly { readonly value: string; readonly tests: number }[];
}

export interface Causes {
  /** Those that say most first: the causes with most tests, and vague ones after others of as many. */
  readonly all: readonly Cause[];
  readonly of: ReadonlyMap<MarkedTest, Cause>;
  /** Whether the causes of all tests are known. */
  readonly areWhole: boolean;
}

/** Takes the failures of one section, or of a run. */
export function listCauses(tests: readonly MarkedTest[]): Causes {
  const all = groupByCause(tests);
  const of = new Map(all.flatMap((cause) => cause.tests.map((test) => [test, cause] as const)));
  return { all, of, areWhole: of.size === tests.length };
}

/** `causeCount` is absent if the causes of some tests are not known. */
export function presentCauses({ all, areWhole }: Causes): { causes: FailureCause[]; causeCount?: number } {
  const limits = RESULT_LIMITS.causes;
  const causes = all.slice(0, limits.listed).map(({ tests, received: values, ...cause }) => ({
    ...cause,
    tests: tests.length,
    files: new Set(tests.map(({ spec }) => spec)).size,
    received: values.slice(0, limits.values),
    values: values.length,
  }));
  return areWhole ? { causeCount: all.length, causes } : { causes };
}

interface Traits {
  readonly what: string;
  readonly target: string;
  readonly received: string;
  readonly expected: string;
  readonly place: string;
  /** A short message as it is, if it has variable parts and no values. Rows of earlier versions do not have it. */
  readonly line: string;
}

interface Failure {
  readonly test: MarkedTest;
  readonly traits: Traits;
}

type Kind = 'received' | 'message' | 'value' | 'place' | 'alone';

/** Failures that may have one cause. */
interface Candidate {
  readonly kind: Kind;
  readonly key: string;
  readonly failures: readonly Failure[];
  /** How much a failure counts, because some traits say more about a cause than others. */
  readonly weight: number;
}

/** Those that say most first. Leaves out tests whose row has no traits, because an old version recorded them. */
export function groupByCause(tests: readonly MarkedTest[]): Cause[] {
  const failures = tests.flatMap((test) => (test.traits ? [{ test, traits: parseTraits(test.traits) }] : []));
  return chooseCandidates(failures)
    .map(describeCause)
    .toSorted((one, other) => compareCauses(measureCause(one), measureCause(other)) || compareTexts(one.id, other.id));
}

/** The cause of a single failure, in words. */
export const nameCause = (traits: FailureTraits): string => writeText('alone', [{ traits: parseTraits(traits) }]);

interface CauseMeasure {
  readonly text: string;
  /** How many tests have the cause. */
  readonly tests: number;
  readonly received: readonly { readonly value: string }[];
}

const measureCause = ({ tests, ...cause }: Cause): CauseMeasure => ({ ...cause, tests: tests.length });

/** A cause that says most comes first. */
export const compareCauses = (one: CauseMeasure, other: CauseMeasure): number => weighCause(other) - weighCause(one);

/** What many assertions say, whatever they check, and what a test says of the tests in it. */
const VAGUE =
  /^(?:no error message|The expression evaluated to a falsy value|Expected values to be|expect|assert|(?:A|\d{1,9}|<n>) subtests? failed)/i;
const NAMES_TARGET_OR_PLACE = / (?:on|at) \S/;
const VAGUE_WEIGHT = 0.25;

function weighCause({ text, tests, received: [first, ...others] }: CauseMeasure): number {
  const haveOneValue = tests > 1 && others.length === 0 && getTellingValue(first?.value ?? '') !== '';
  const isVague = VAGUE.test(text) && !NAMES_TARGET_OR_PLACE.test(text) && !haveOneValue;
  return isVague ? tests * VAGUE_WEIGHT : tests;
}

function parseTraits(texts: readonly string[]): Traits {
  const [what = '', target = '', ...values] = texts;
  const [received = '', expected = '', place = '', line = ''] = values;
  return { what, target, received, expected, place, line };
}

/** Takes the candidate with most failures that no other one has taken, until only single failures are left. */
function chooseCandidates(failures: readonly Failure[]): Candidate[] {
  const left = new Set(failures);
  const causes: Candidate[] = [];
  const queue = listCandidates(failures).sort(compareCandidates);
  for (let next = 0; next < queue.length; next += 1) {
    const candidate = queue[next];
    const members = candidate?.failures.filter((failure) => left.has(failure)) ?? [];
    if (!candidate || members.length < 2) continue;
    if (members.length < candidate.failures.length) {
      insertSorted(queue, next + 1, { ...candidate, failures: members });
      continue;
    }
    causes.push(candidate);
    for (const failure of members) left.delete(failure);
  }
  const singles = [...left].map(
    (failure): Candidate => ({ kind: 'alone', key: failure.test.place, failures: [failure], weight: 1 }),
  );
  return [...causes, ...singles];
}

const measureWorth = ({ failures, weight }: Candidate): number => failures.length * weight;

const compareCandidates = (one: Candidate, other: Candidate): number =>
  measureWorth(other) - measureWorth(one) || compareTexts(`${one.kind} ${one.key}`, `${other.kind} ${other.key}`);

/** Inserts the candidate into those from `start` on. */
function insertSorted(queue: Candidate[], start: number, candidate: Candidate): void {
  let [low, high] = [start, queue.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = queue[middle];
    if (other && compareCandidates(other, candidate) < 0) low = middle + 1;
    else high = middle;
  }
  queue.splice(low, 0, candidate);
}

function listCandidates(failures: readonly Failure[]): Candidate[] {
  const groups = (kind: Kind, keyOf: (traits: Traits) => string, weigh: (failures: readonly Failure[]) => number) =>
    [...Map.groupBy(failures, ({ traits }) => keyOf(traits))].flatMap(([key, members]): Candidate[] =>
      key === '' || members.length < 2 ? [] : [{ kind, key, failures: members, weight: weigh(members) }],
    );
  return [
    ...groups(
      'received',
      (traits) => getTellingValue(traits.received || traits.line),
      () => WEIGHTS.received,
    ),
    ...groups(
      'message',
      ({ what, target }) => makeKey(what, target),
      (members) =>
        members[0]?.traits.target || measureSimilarity(members) <= SEVERAL ? WEIGHTS.message : WEIGHTS.messageOfValues,
    ),
    ...groups(
      'value',
      ({ what, target, received }) => (received === '' ? '' : makeKey(what, target, received)),
      () => WEIGHTS.value,
    ),
    ...groups(
      'place',
      ({ what, target, place }) => (place === '' ? '' : makeKey(what, target, place)),
      (members) => (measureSimilarity(members) < MOST ? WEIGHTS.place : WEIGHTS.placeOfValues),
    ),
  ];
}

/** All traits of an error without a message are empty. It is a cause of its own kind. */
const makeKey = (...traits: readonly string[]): string => JSON.stringify(traits);

/**
 * Of failures with one message, those that received the same value have one cause, unless almost every one received
 * another value. A message that names its target stands for one cause with any values, and so does one line of code,
 * such as that of a parametrized test, unless most tests received one value there.
 */
const WEIGHTS = {
  message: 1.02,
  value: 1.01,
  received: 1,
  place: 1,
  placeOfValues: 0.6,
  messageOfValues: 0.4,
} as const;

/** Shares of the failures that received the same value. */
const SEVERAL = 0.25;
const MOST = 0.6;

/** The share of the failures that received the most frequent value. */
function measureSimilarity(failures: readonly Failure[]): number {
  const counts = countValues(failures.map(({ traits }) => traits.received));
  return (counts[0]?.[1] ?? 0) / failures.length;
}

const SHORT_VALUE = 3;
const COMMON_VALUES: ReadonlySet<string> = new Set([
  ...['true', 'false', 'True', 'False', 'null', 'undefined', 'None', 'nil', 'NaN', 'Object', 'Array', 'object'],
  ...['Promise', 'Promise{…}', '<nil>', 'null pointer', 'hidden', 'visible', '<element(s) not found>'],
]);
/** Tests print what they received with and without quotes, and with the line break at its end. */
const QUOTES = /^["'`]|["'`]$/g;
const LINE_END = /\\n(?=["'`]?$)/;

/** Without quotes. Empty if tests that received this value need not have anything in common. */
function getTellingValue(value: string): string {
  const text = value.replace(LINE_END, '').replaceAll(QUOTES, '');
  const isTelling = text.length >= SHORT_VALUE && !COMMON_VALUES.has(text) && /[\p{L}\p{N}]/u.test(text);
  return isTelling ? text : '';
}

function describeCause({ kind, key, failures }: Candidate): Cause {
  // Values that differ in quotes only are one.
  const pickValue = ({ received }: Traits) => (kind === 'received' ? getTellingValue(received) : received);
  const counts = countValues(failures.map(({ traits }) => pickValue(traits)));
  return {
    id: computeDigest(RESULT_LIMITS.causes.idCharacters, kind, key),
    text: writeText(kind, failures),
    tests: failures.map(({ test }) => test),
    received: counts.map(([value, tests]) => ({ value, tests })),
  };
}

/** Values that are not empty, the most frequent first. */
const countValues = (values: readonly string[]): (readonly [value: string, count: number])[] =>
  [...Map.groupBy(values, (value) => value)]
    .filter(([value]) => value !== '')
    .map(([value, { length }]) => [value, length] as const)
    .sort(([one, count], [other, otherCount]) => otherCount - count || compareTexts(one, other));

/** The trait that all failures have. */
function findCommon(failures: readonly Pick<Failure, 'traits'>[], trait: keyof Traits): string | undefined {
  const first = failures[0]?.traits[trait];
  return first && failures.every(({ traits }) => traits[trait] === first) ? first : undefined;
}

function writeText(kind: Kind, failures: readonly Pick<Failure, 'traits'>[]): string {
  const find = (trait: keyof Traits) => findCommon(failures, trait);
  const [value, otherValue, target] = [find('received'), find('expected'), find('target')];
  const sentence = kind === 'received' ? writeSaid(failures) : undefined;
  if (sentence !== undefined && !value) return sentence;
  const values = value && (otherValue ? `received ${value} instead of ${otherValue}` : `received ${value}`);
  if (kind === 'received' && !target) return values ?? '';
  const message = (find('line') || find('what')?.split(NOTE, 1)[0] || 'no error message').replace(/:$/, '');
  if (target) return values ? `${message} on ${target}: ${values}` : `${message} on ${target}`;
  // Most messages of assertions contain their values, or say nothing without them.
  if (values && /expect|assert/i.test(message)) return values;
  return kind === 'place' ? `${message} at ${find('place')}` : message;
}

/** A value that some tests received and others have as their message, or wrote with other quotes. */
function writeSaid(failures: readonly Pick<Failure, 'traits'>[]): string {
  const text = getTellingValue(failures[0]?.traits.received || failures[0]?.traits.line || '');
  return failures.some(({ traits }) => traits.received !== '') ? `received ${text}` : text;
}

/** Vitest and Jest name the kind of equality behind the message. */
const NOTE = ' // ';
