/** Shortens evidence that is too large to show, so that a page of failed tests stays readable. */
import { fitsWithin } from '#shared/engine/byte-budget.ts';
import { BEGINNING_CUT } from '#shared/engine/cut-text.ts';
import type { AttemptEvidence, Evidence, EvidenceStep } from '#shared/model/tests/evidence.ts';
import { INGEST_LIMITS } from './limits.ts';

const NEVER_ENDED = -1;

/**
 * Returns evidence of at most `evidenceBytes` as JSON. Attempts get equal shares: half for steps, a quarter each for
 * stdout and stderr.
 */
export function withinEvidenceBudget(evidence: Evidence): Evidence {
  if (fitsWithin(evidence, INGEST_LIMITS.evidenceBytes)) return evidence;
  const share = Math.floor(INGEST_LIMITS.evidenceBytes / evidence.length) - INGEST_LIMITS.attemptBytes;
  return evidence.map((attempt) => (fitsWithin(attempt, share) ? attempt : shortened(attempt, share)));
}

function shortened({ steps, stdout, stderr }: AttemptEvidence, bytes: number): AttemptEvidence {
  return {
    steps: mostHelpful(steps, Math.floor(bytes / 2)),
    stdout: lastPieces(stdout, Math.floor(bytes / 4)),
    stderr: lastPieces(stderr, Math.floor(bytes / 4)),
  };
}

interface Placed {
  readonly step: EvidenceStep;
  readonly parent: Placed | undefined;
  /** The index in start order, and the index after the last nested step. */
  readonly index: number;
  readonly end: number;
}

/**
 * Keeps the failed steps with their parents and neighbors, then the last steps, because they say most about a failure.
 * A placeholder step says how many were left out.
 */
function mostHelpful(steps: readonly EvidenceStep[], bytes: number): EvidenceStep[] {
  const all = inOrder(steps);
  const failed = all.filter(({ step }) => step.error !== null || step.duration === NEVER_ENDED);
  // Innermost failed steps: none contains another failed step.
  const innermost = failed.filter(({ end }, place) => (failed[place + 1]?.index ?? end) >= end);
  const neighbors = innermost.flatMap(({ index, end }) => [all.findLast((step) => step.end <= index), all[end]]);
  const kept = new Map<Placed, EvidenceStep>();
  let left = bytes - INGEST_LIMITS.attemptBytes;
  for (const wanted of [...innermost, ...neighbors, ...all.toReversed()]) {
    const added = [...ancestors(wanted)]
      .filter((step) => !kept.has(step))
      .map((step) => [step, withoutNested(step)] as const);
    const cost = added.reduce((sum, [, step]) => sum + Buffer.byteLength(JSON.stringify(step)) + 1, 0);
    if (cost > left) continue;
    left -= cost;
    for (const [placed, step] of added) kept.set(placed, step);
  }
  const roots = nestedAgain(all, kept);
  const omitted = all.length - kept.size;
  return omitted === 0 ? roots : [leftOut(omitted), ...roots];
}

const leftOut = (steps: number): EvidenceStep => ({
  title: `[${steps} steps left out, because the evidence of this test is too large]`,
  category: '',
  duration: 0,
  error: null,
  steps: [],
});

function inOrder(steps: readonly EvidenceStep[]): Placed[] {
  const placed: Placed[] = [];
  const walk = (step: EvidenceStep, parent: Placed | undefined): void => {
    const index = placed.length;
    const own = { step, parent, index, end: index + 1 };
    placed.push(own);
    for (const nested of step.steps) walk(nested, own);
    own.end = placed.length;
  };
  for (const step of steps) walk(step, undefined);
  return placed;
}

/** The step and its parents. */
function* ancestors(wanted: Placed | undefined): Generator<Placed> {
  for (let step = wanted; step; step = step.parent) yield step;
}

/**
 * A step without its nested steps. Each parent of a failed step repeats its error, and the test has it too. A long
 * message is left out entirely, because masking would miss a secret that is cut in half.
 */
const withoutNested = ({ step: { title, category, duration, error } }: Placed): EvidenceStep => ({
  title,
  category,
  duration,
  error: error && { ...error, message: shortOrLeftOut(error.message), snippet: null },
  steps: [],
});

const shortOrLeftOut = (message: string): string =>
  message.length <= INGEST_LIMITS.shortMessageCharacters ? message : '[message left out]';

function nestedAgain(all: readonly Placed[], kept: ReadonlyMap<Placed, EvidenceStep>): EvidenceStep[] {
  const roots: EvidenceStep[] = [];
  const nestedOf = new Map<Placed, EvidenceStep[]>();
  for (const placed of all) {
    const step = kept.get(placed);
    if (!step) continue;
    const steps: EvidenceStep[] = [];
    nestedOf.set(placed, steps);
    const siblings = placed.parent ? nestedOf.get(placed.parent) : roots;
    siblings?.push({ ...step, steps });
  }
  return roots;
}

/** The last pieces of output that fit. */
function lastPieces(pieces: readonly string[], bytes: number): string[] {
  let left = bytes - INGEST_LIMITS.attemptBytes;
  const first = pieces.findLastIndex((piece) => {
    left -= Buffer.byteLength(JSON.stringify(piece)) + 1;
    return left < 0;
  });
  if (first === -1) return [...pieces];
  return [BEGINNING_CUT, ...pieces.slice(first + 1)];
}
