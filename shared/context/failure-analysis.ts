/**
 * §2.4 `failureContext`: the failed step and its neighbors. Steps are counted in start order, each before its nested steps.
 *
 * The failed step is the innermost step with the shown error. If several steps have one (soft assertions, a failing hook), the
 * first with the same message counts. Without the same message, the first with any error counts. If no step has an error, as after a timeout, it is the
 * innermost step that never ended. If all steps ended, there is none.
 * `stepBefore` is the last step that started earlier and does not contain the failed step. `stepAfter` is the first that
 * started later and is not nested in it.
 */
import type { ErrorInfo, FailureContext, Step } from './context-wire.ts';

interface IndexedStep {
  readonly step: Step;
  readonly index: number;
  /** The index after the step's last nested step. */
  readonly end: number;
}

const NEVER_ENDED = -1;

export function failureContextOf(steps: readonly Step[], error: ErrorInfo | null): FailureContext | null {
  const indexed = inOrder(steps);
  const failed = findFailed(indexed, error);
  if (!failed) return null;
  const { index, end } = failed;
  return {
    failedStepIndex: index,
    stepBefore: withoutNested(indexed.slice(0, index).findLast((earlier) => earlier.end <= index)),
    failedStep: failed.step,
    stepAfter: withoutNested(indexed[end]),
  };
}

function inOrder(steps: readonly Step[]): IndexedStep[] {
  const indexed: IndexedStep[] = [];
  const walk = (step: Step): void => {
    const index = indexed.length;
    indexed.push({ step, index, end: index + 1 });
    step.steps.forEach(walk);
    indexed[index] = { step, index, end: indexed.length };
  };
  steps.forEach(walk);
  return indexed;
}

function findFailed(indexed: readonly IndexedStep[], error: ErrorInfo | null): IndexedStep | undefined {
  const failed = indexed.filter(({ step }) => step.error !== null);
  const same = failed.find(({ step }) => step.error?.message === error?.message);
  const first = same ?? failed[0];
  if (first) return innermost(failed, first, ({ step }) => !same || step.error?.message === error?.message);
  const open = indexed.filter(({ step }) => step.duration === NEVER_ENDED);
  return open[0] && innermost(open, open[0], () => true);
}

/** The innermost candidate in `outer`, following the first candidate at each level. */
function innermost(
  candidates: readonly IndexedStep[],
  outer: IndexedStep,
  counts: (indexed: IndexedStep) => boolean,
): IndexedStep {
  const inner = candidates.find(
    (indexed) => indexed.index > outer.index && indexed.end <= outer.end && counts(indexed),
  );
  return inner ? innermost(candidates, inner, counts) : outer;
}

/** A neighbor without its nested steps. */
const withoutNested = (indexed: IndexedStep | undefined): Step | null =>
  indexed ? { ...indexed.step, steps: [] } : null;
