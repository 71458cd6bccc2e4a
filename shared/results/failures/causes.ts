/**
 * Groups the failures of a run by cause: by what their errors have in common. A value that many tests received says
 * more than the message of one matcher.
 */
import { computeDigest } from '#shared/engine/table/keys.ts';
import type { FailureTraits } from '#shared/model/results/failures.ts';
import type { FailureCause } from '../comparisons/comparison-wire.ts';
import { compareTexts } from '../contains.ts';
import { RESULT_LIMITS } from '../limits.ts';
import { type Candidate, chooseCandidates } from './cause-candidates.ts';
import { writeCauseText } from './cause-text.ts';
import { countValues, getTellingValue, parseTraits } from './failure-traits.ts';
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
  readonly byTest: ReadonlyMap<MarkedTest, Cause>;
  /** Whether the causes of all tests are known. */
  readonly areWhole: boolean;
}

/** Takes the failures of one section, or of a run. */
export function listCauses(tests: readonly MarkedTest[]): Causes {
  const all = groupByCause(tests);
  const byTest = new Map(all.flatMap((cause) => cause.tests.map((test) => [test, cause] as const)));
  return { all, byTest, areWhole: byTest.size === tests.length };
}

/** `causeCount` is absent if the causes of some tests are not known. */
export function presentCauses({ all, areWhole }: Causes): {
  readonly causes: FailureCause[];
  readonly causeCount: number | undefined;
} {
  const limits = RESULT_LIMITS.causes;
  const causes = all.slice(0, limits.listed).map(({ tests, received: values, ...cause }) => ({
    ...cause,
    tests: tests.length,
    files: new Set(tests.map(({ spec }) => spec)).size,
    received: values.slice(0, limits.values),
    values: values.length,
  }));
  return { causes, causeCount: areWhole ? all.length : undefined };
}

/** Those that say most first. Leaves out tests whose row has no traits, because an old version recorded them. */
export function groupByCause(tests: readonly MarkedTest[]): Cause[] {
  const failures = tests.flatMap((test) => (test.traits ? [{ test, traits: parseTraits(test.traits) }] : []));
  return chooseCandidates(failures)
    .map(describeCause)
    .toSorted((one, other) => compareCauses(measureCause(one), measureCause(other)) || compareTexts(one.id, other.id));
}

/** The cause of a single failure, in words. */
export const nameCause = (traits: FailureTraits): string => writeCauseText('alone', [parseTraits(traits)]);

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

function describeCause({ kind, key, failures }: Candidate): Cause {
  const values = failures.map(({ traits }) => traits.received);
  return {
    id: computeDigest(RESULT_LIMITS.causes.idCharacters, kind, key),
    text: writeCauseText(
      kind,
      failures.map(({ traits }) => traits),
    ),
    tests: failures.map(({ test }) => test),
    // Values that differ in quotes only are one.
    received: countValues(kind === 'received' ? values.map(getTellingValue) : values),
  };
}
