/**
 * §2.4 Finds the failed step of an attempt, and its neighbors.
 *
 * Steps are ordered by their start, and each step precedes its nested steps. The failed step is the first step with the
 * message of the shown error. If there is none, it is the first step with any error. If no step has an error, as after a
 * timeout, it is the first step that never ended. If a step that was found this way contains other such steps, the
 * innermost of them is the failed step instead. If all steps ended without an error, there is no failed step.
 */
import { flattenSteps, NEVER_ENDED, type PlacedStep } from '#shared/model/results/evidence.ts';
import type { ErrorInfo, FailureContext, Step } from './context-wire.ts';

type IndexedStep = PlacedStep<Step>;

/**
 * `stepBefore` is the last step that started earlier and does not contain the failed step. `stepAfter` is the first step
 * that started later and is not nested in the failed step.
 */
export function buildFailureContext(steps: readonly Step[], error: ErrorInfo | null): FailureContext | null {
  const indexedSteps = flattenSteps(steps);
  const failedStep = findFailedStep(indexedSteps, error);
  if (!failedStep) return null;
  const { index, end } = failedStep;
  return {
    failedStepIndex: index,
    stepBefore: removeNestedSteps(indexedSteps.slice(0, index).findLast((step) => step.end <= index)),
    failedStep: failedStep.step,
    stepAfter: removeNestedSteps(indexedSteps[end]),
  };
}

function findFailedStep(indexedSteps: readonly IndexedStep[], error: ErrorInfo | null): IndexedStep | undefined {
  const failedSteps = indexedSteps.filter(({ step }) => step.error !== null);
  const stepsWithError = failedSteps.filter(({ step }) => step.error?.message === error?.message);
  const openSteps = indexedSteps.filter(({ step }) => step.duration === NEVER_ENDED);
  return findInnermostStep(stepsWithError) ?? findInnermostStep(failedSteps) ?? findInnermostStep(openSteps);
}

/** Begins with the first candidate, and follows the first one that is nested in it, at each level of nesting. */
function findInnermostStep(candidates: readonly IndexedStep[]): IndexedStep | undefined {
  let innermost = candidates[0];
  for (const candidate of candidates)
    if (innermost && candidate.index > innermost.index && candidate.end <= innermost.end) innermost = candidate;
  return innermost;
}

const removeNestedSteps = (indexedStep: IndexedStep | undefined): Step | null =>
  indexedStep ? { ...indexedStep.step, steps: [] } : null;
