/** Chooses which failures of a run have one cause: those that have the most telling traits in common. */
import { compareTexts } from '../contains.ts';
import { countValues, getTellingValue, type TestWithTraits, type Traits } from './failure-traits.ts';

/** What the failures of a cause have in common. A failure with the cause `alone` has nothing in common with others. */
export type CauseKind = 'received' | 'message' | 'value' | 'place' | 'alone';

/** Failures that may have one cause. */
export interface Candidate {
  readonly kind: CauseKind;
  /** The common traits. */
  readonly key: string;
  readonly failures: readonly TestWithTraits[];
  /** How much a failure counts, because some traits say more about a cause than others. */
  readonly weight: number;
}

/** Takes the candidate with most failures that no other one has taken, until only single failures are left. */
export function chooseCandidates(failures: readonly TestWithTraits[]): Candidate[] {
  const left = new Set(failures);
  const chosenCandidates: Candidate[] = [];
  const queue = listCandidates(failures).sort(compareCandidates);
  for (let next = 0; next < queue.length; next += 1) {
    const candidate = queue[next];
    const failuresLeft = candidate?.failures.filter((failure) => left.has(failure)) ?? [];
    if (!candidate || failuresLeft.length < 2) continue;
    if (failuresLeft.length < candidate.failures.length) {
      // Others have taken some of its failures. The rest may be worth less than the next candidates.
      insertSorted(queue, next + 1, { ...candidate, failures: failuresLeft });
      continue;
    }
    chosenCandidates.push(candidate);
    for (const failure of failuresLeft) left.delete(failure);
  }
  for (const failure of left)
    chosenCandidates.push({ kind: 'alone', key: failure.test.place, failures: [failure], weight: 1 });
  return chosenCandidates;
}

const measureWorth = ({ failures, weight }: Candidate): number => failures.length * weight;

const compareCandidates = (one: Candidate, other: Candidate): number =>
  measureWorth(other) - measureWorth(one) || compareTexts(`${one.kind} ${one.key}`, `${other.kind} ${other.key}`);

/** Inserts the candidate into those from `start` on. */
function insertSorted(queue: Candidate[], start: number, candidate: Candidate): void {
  let low = start;
  let high = queue.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const other = queue[middle];
    if (other && compareCandidates(other, candidate) < 0) low = middle + 1;
    else high = middle;
  }
  queue.splice(low, 0, candidate);
}

interface Rule {
  readonly kind: CauseKind;
  /** Failures with the same key may have one cause. Empty if the trait is not known. */
  readonly keyOf: (traits: Traits) => string;
  readonly weigh: (failures: readonly TestWithTraits[]) => number;
}

const RULES: readonly Rule[] = [
  {
    kind: 'received',
    keyOf: ({ received, line }) => getTellingValue(received || line),
    weigh: () => WEIGHTS.received,
  },
  {
    kind: 'message',
    keyOf: ({ what, target }) => makeKey(what, target),
    weigh: (failures) => {
      const hasTarget = Boolean(failures[0]?.traits.target);
      return hasTarget || measureSimilarity(failures) <= SEVERAL ? WEIGHTS.message : WEIGHTS.messageOfValues;
    },
  },
  {
    kind: 'value',
    keyOf: ({ what, target, received }) => (received === '' ? '' : makeKey(what, target, received)),
    weigh: () => WEIGHTS.value,
  },
  {
    kind: 'place',
    keyOf: ({ what, target, place }) => (place === '' ? '' : makeKey(what, target, place)),
    weigh: (failures) => (measureSimilarity(failures) < MOST ? WEIGHTS.place : WEIGHTS.placeOfValues),
  },
];

const listCandidates = (failures: readonly TestWithTraits[]): Candidate[] =>
  RULES.flatMap(({ kind, keyOf, weigh }) =>
    [...Map.groupBy(failures, ({ traits }) => keyOf(traits))]
      .filter(([key, members]) => key !== '' && members.length >= 2)
      .map(([key, members]) => ({ kind, key, failures: members, weight: weigh(members) })),
  );

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
function measureSimilarity(failures: readonly TestWithTraits[]): number {
  const [mostFrequent] = countValues(failures.map(({ traits }) => traits.received));
  return (mostFrequent?.tests ?? 0) / failures.length;
}
