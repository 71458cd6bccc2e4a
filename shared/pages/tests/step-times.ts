/** When the steps of an attempt ran, and what became of them. */
import type { Step } from '#shared/context/context-wire.ts';

export const isUnfinished = ({ duration, steps }: Step): boolean => duration < 0 || steps.some(isUnfinished);

export const hasFailed = ({ error, steps }: Step): boolean => error !== null || steps.some(hasFailed);

/** When the last step ends, nested ones included. Hooks run before and after the duration that frameworks report. */
export function findEnd(steps: readonly Step[], from: number): number {
  return placeSteps(steps, from).reduce(
    (end, { step, at }) => Math.max(end, at + Math.max(0, step.duration), findEnd(step.steps, at)),
    from,
  );
}

interface StepAt {
  readonly step: Step;
  /** Milliseconds since the start of the attempt. */
  readonly at: number;
}

/** Clients that do not say when a step began record only durations. Such a step is assumed to follow the last one. */
export function placeSteps(steps: readonly Step[], from: number): StepAt[] {
  let end = from;
  return steps.map((step) => {
    const at = step.offset ?? end;
    end = at + Math.max(0, step.duration);
    return { step, at };
  });
}
