/** Steps and output, read only for failed and flaky tests. Unknown formats are dropped and long texts cut, not refused. */
import * as z from 'zod';
import { cutText, keepOutputEnd } from '#shared/engine/cut-text.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { AttemptEvidence, EvidenceStep } from '#shared/model/results/evidence.ts';
import { RECORDING_LIMITS } from './limits.ts';
import { SentError, sentTime, toStoredError } from './test-wire.ts';

const listOf = <Element extends z.ZodType>(element: Element) => z.array(element).nullish().catch(null);

const WireStep = z.object({
  title: z.string().catch(''),
  category: z.string().catch(''),
  startTime: sentTime,
  duration: z.number().catch(-1),
  error: SentError.nullish().catch(null),
  steps: listOf(z.unknown()),
});

const WireOutput = listOf(z.string().catch(''));
const WireEvidence = z.object({
  startTime: sentTime,
  steps: listOf(z.unknown()),
  stdout: WireOutput,
  stderr: WireOutput,
});
const WireTest = z.object({ attempts: z.array(z.unknown()) });

const cutOutput = (output: readonly string[] | null | undefined) =>
  keepOutputEnd(output ?? [], RECORDING_LIMITS.outputCharacters);

/** In the order in which the attempts were sent. `message` is the raw message about a test. */
export function parseEvidence(message: unknown): AttemptEvidence[] {
  const test = WireTest.safeParse(message);
  const left = { steps: RECORDING_LIMITS.stepsPerTest };
  const attempts = (test.data?.attempts ?? []).slice(0, MODEL_LIMITS.attemptsPerTest);
  return attempts.map((attempt) => {
    const { startTime = null, steps, stdout, stderr } = WireEvidence.safeParse(attempt).data ?? {};
    return {
      steps: parseSentSteps(steps ?? [], { startTime, left }, 0),
      stdout: cutOutput(stdout),
      stderr: cutOutput(stderr),
    };
  });
}

interface StepsOfAttempt {
  readonly startTime: number | null;
  /** How many steps of the test are still kept. */
  readonly left: { steps: number };
}

function parseSentSteps(sentSteps: readonly unknown[], attempt: StepsOfAttempt, depth: number): EvidenceStep[] {
  const { left } = attempt;
  const steps: EvidenceStep[] = [];
  for (const sentStep of sentSteps) {
    if (left.steps === 0 || depth === RECORDING_LIMITS.stepDepth) break;
    const step = WireStep.safeParse(sentStep).data;
    if (!step) continue;
    left.steps -= 1;
    const offset = computeOffset(step.startTime, attempt.startTime);
    steps.push({
      title: cutText(step.title, RECORDING_LIMITS.stepTitleCharacters),
      category: cutText(step.category, RECORDING_LIMITS.stepCategoryCharacters),
      duration: Math.min(Math.max(-1, Math.trunc(step.duration)), MODEL_LIMITS.attemptMilliseconds),
      ...(offset !== undefined && { offset }),
      // The stack is left out, because the errors of the test already contain the stack of the failed step.
      error: step.error ? { ...toStoredError(step.error), stack: null } : null,
      steps: parseSentSteps(step.steps ?? [], attempt, depth + 1),
    });
  }
  return steps;
}

/** Times of a clock that was set meanwhile are left out. */
function computeOffset(stepTime: number | null, attemptTime: number | null): number | undefined {
  if (stepTime === null || attemptTime === null) return undefined;
  const offset = stepTime - attemptTime;
  return offset >= 0 && offset <= MODEL_LIMITS.attemptMilliseconds ? offset : undefined;
}
