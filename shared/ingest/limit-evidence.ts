/** Shortens evidence that is too large, so that a page of failed tests can still be loaded. */

import { isJsonWithin } from '#shared/engine/byte-budget.ts';
import { BEGINNING_CUT } from '#shared/engine/cut-text.ts';
import {
  type AttemptEvidence,
  type Evidence,
  type EvidenceStep,
  flattenSteps,
  NEVER_ENDED,
  type PlacedStep,
} from '#shared/model/results/evidence.ts';
import { INGEST_LIMITS } from './limits.ts';

/** Every attempt gets an equal share: half of it for steps, and a quarter each for stdout and stderr. */
export function limitEvidence(evidence: Evidence): Evidence {
  if (isJsonWithin(evidence, INGEST_LIMITS.evidenceBytes)) return evidence;
  const share = Math.floor(INGEST_LIMITS.evidenceBytes / evidence.length) - INGEST_LIMITS.attemptBytes;
  return evidence.map((attempt) => (isJsonWithin(attempt, share) ? attempt : shortenAttemptEvidence(attempt, share)));
}

function shortenAttemptEvidence({ steps, stdout, stderr }: AttemptEvidence, bytes: number): AttemptEvidence {
  return {
    steps: pickHelpfulSteps(steps, Math.floor(bytes / 2)),
    stdout: keepLastPieces(stdout, Math.floor(bytes / 4)),
    stderr: keepLastPieces(stderr, Math.floor(bytes / 4)),
  };
}

type PlacedEvidenceStep = PlacedStep<EvidenceStep>;

/**
 * Keeps the steps that are most useful for explaining a failure: first the failed steps with their parents and
 * neighbors, then the last steps. A placeholder step says how many steps were left out.
 */
function pickHelpfulSteps(steps: readonly EvidenceStep[], bytes: number): EvidenceStep[] {
  const all = flattenSteps(steps);
  const failedSteps = all.filter(({ step }) => step.error !== null || step.duration === NEVER_ENDED);
  // The failed steps that contain no other failed step.
  const innermost = failedSteps.filter(({ end }, place) => (failedSteps[place + 1]?.index ?? end) >= end);
  const neighbors = innermost.flatMap(({ index, end }) => [all.findLast((step) => step.end <= index), all[end]]);
  const keptSteps = new Map<PlacedEvidenceStep, EvidenceStep>();
  let left = bytes - INGEST_LIMITS.attemptBytes;
  for (const candidate of [...innermost, ...neighbors, ...all.toReversed()]) {
    const newSteps = [...walkToRoot(candidate)]
      .filter((step) => !keptSteps.has(step))
      .map((step) => [step, dropNestedSteps(step)] as const);
    const cost = newSteps.reduce((sum, [, step]) => sum + Buffer.byteLength(JSON.stringify(step)) + 1, 0);
    if (cost > left) continue;
    left -= cost;
    for (const [placedStep, step] of newSteps) keptSteps.set(placedStep, step);
  }
  const roots = nestSteps(all, keptSteps);
  const omittedCount = all.length - keptSteps.size;
  const title = `[${omittedCount} of the steps left out: the evidence of this test is too large]`;
  return omittedCount === 0 ? roots : [{ title, category: '', duration: 0, error: null, steps: [] }, ...roots];
}

function* walkToRoot(start: PlacedEvidenceStep | undefined): Generator<PlacedEvidenceStep> {
  for (let step = start; step; step = step.parent) yield step;
}

/**
 * A step without its nested steps. The test and each parent of a failed step repeat the error, so a long message is
 * left out here. It is not cut, because masking would miss a secret that is cut in half.
 */
function dropNestedSteps({ step }: PlacedEvidenceStep): EvidenceStep {
  const { error } = step;
  const isShort = (error?.message.length ?? 0) <= INGEST_LIMITS.shortMessageCharacters;
  return {
    ...step,
    error: error && { ...error, message: isShort ? error.message : '[message left out]', snippet: null },
    steps: [],
  };
}

function nestSteps(
  all: readonly PlacedEvidenceStep[],
  keptSteps: ReadonlyMap<PlacedEvidenceStep, EvidenceStep>,
): EvidenceStep[] {
  const roots: EvidenceStep[] = [];
  const nestedOf = new Map<PlacedEvidenceStep, EvidenceStep[]>();
  for (const placedStep of all) {
    const step = keptSteps.get(placedStep);
    if (!step) continue;
    const steps: EvidenceStep[] = [];
    nestedOf.set(placedStep, steps);
    const siblings = placedStep.parent ? nestedOf.get(placedStep.parent) : roots;
    siblings?.push({ ...step, steps });
  }
  return roots;
}

/** The last pieces of the output, as many as fit into `bytes`. */
function keepLastPieces(pieces: readonly string[], bytes: number): string[] {
  let left = bytes - INGEST_LIMITS.attemptBytes;
  const first = pieces.findLastIndex((piece) => {
    left -= Buffer.byteLength(JSON.stringify(piece)) + 1;
    return left < 0;
  });
  if (first === -1) return [...pieces];
  return [BEGINNING_CUT, ...pieces.slice(first + 1)];
}
