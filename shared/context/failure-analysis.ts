/**
 * §2.4 `failureContext`: the step that failed, and its neighbours. Steps count in the order in which they began, a step
 * before those it consists of.
 *
 * The step that failed is the innermost one with the error that is shown: of several (soft assertions, a hook that fails
 * after its test did) the first with the same message, else the first with any error. Where no step has an error, as
 * when the time ran out in between, it is the innermost one that never ended; where all have ended, there is none.
 * Before it stands the last step that began earlier and does not contain it; after it, the first that began later and is
 * no part of it.
 */
import type { ErrorInfo, FailureContext, Step } from './shape.ts';

interface Placed {
  readonly step: Step;
  readonly index: number;
  /** Index after the last of its parts. */
  readonly end: number;
}

const NEVER_ENDED = -1;

export function failureContextOf(steps: readonly Step[], error: ErrorInfo | null): FailureContext | null {
  const placed = inOrder(steps);
  const failed = failedAmong(placed, error);
  if (!failed) return null;
  const { index, end } = failed;
  return {
    failedStepIndex: index,
    stepBefore: alone(placed.slice(0, index).findLast((earlier) => earlier.end <= index)),
    failedStep: failed.step,
    stepAfter: alone(placed[end]),
  };
}

function inOrder(steps: readonly Step[]): Placed[] {
  const placed: Placed[] = [];
  const walk = (step: Step): void => {
    const index = placed.length;
    placed.push({ step, index, end: index + 1 });
    step.steps.forEach(walk);
    placed[index] = { step, index, end: placed.length };
  };
  steps.forEach(walk);
  return placed;
}

function failedAmong(placed: readonly Placed[], error: ErrorInfo | null): Placed | undefined {
  const failed = placed.filter(({ step }) => step.error !== null);
  const same = failed.find(({ step }) => step.error?.message === error?.message);
  const first = same ?? failed[0];
  if (first) return innermost(failed, first, ({ step }) => !same || step.error?.message === error?.message);
  const open = placed.filter(({ step }) => step.duration === NEVER_ENDED);
  return open[0] && innermost(open, open[0], () => true);
}

/** The deepest of the candidates that `outer` contains, by always going into the first. */
function innermost(candidates: readonly Placed[], outer: Placed, counts: (placed: Placed) => boolean): Placed {
  const inner = candidates.find((placed) => placed.index > outer.index && placed.end <= outer.end && counts(placed));
  return inner ? innermost(candidates, inner, counts) : outer;
}

/** A neighbour is there to say what came before or after, not to repeat all it consisted of. */
const alone = (placed: Placed | undefined): Step | null => (placed ? { ...placed.step, steps: [] } : null);
