/**
 * Steps and output, read only for failed and flaky tests. Unknown formats are dropped and long texts cut, not refused.
 */
import * as z from 'zod';
import { cutText, keepOutputEnd } from '#shared/engine/cut-text.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { AttemptEvidence, EvidenceStep } from '#shared/model/results/evidence.ts';
import { RECORDING_LIMITS } from './limits.ts';
import { SentError, toStoredError } from './test-wire.ts';

const listOf = <Element extends z.ZodType>(element: Element) => z.array(element).nullish().catch(null);

const WireStep = z.object({
  title: z.string().catch(''),
  category: z.string().catch(''),
  duration: z.number().catch(-1),
  error: SentError.nullish().catch(null),
  steps: listOf(z.unknown()),
});

const WireOutput = listOf(z.string().catch(''));
const WireEvidence = z.object({ steps: listOf(z.unknown()), stdout: WireOutput, stderr: WireOutput });
const WireTest = z.object({ attempts: z.array(z.unknown()) });

const cutOutput = (output: readonly string[] | null | undefined) =>
  keepOutputEnd(output ?? [], RECORDING_LIMITS.outputCharacters);

/** In the order in which the attempts were sent. `message` is the raw message about a test. */
export function parseEvidence(message: unknown): AttemptEvidence[] {
  const test = WireTest.safeParse(message);
  const budget = { steps: RECORDING_LIMITS.stepsPerTest };
  const attempts = (test.data?.attempts ?? []).slice(0, MODEL_LIMITS.attemptsPerTest);
  return attempts.map((attempt) => {
    const { steps, stdout, stderr } = WireEvidence.safeParse(attempt).data ?? {};
    return { steps: parseSentSteps(steps ?? [], budget, 0), stdout: cutOutput(stdout), stderr: cutOutput(stderr) };
  });
}

function parseSentSteps(sentSteps: readonly unknown[], budget: { steps: number }, depth: number): EvidenceStep[] {
  const steps: EvidenceStep[] = [];
  for (const one of sentSteps) {
    if (budget.steps === 0 || depth === RECORDING_LIMITS.stepDepth) break;
    const step = WireStep.safeParse(one).data;
    if (!step) continue;
    budget.steps -= 1;
    steps.push({
      title: cutText(step.title, RECORDING_LIMITS.stepTitleCharacters),
      category: cutText(step.category, RECORDING_LIMITS.stepCategoryCharacters),
      duration: Math.min(Math.max(-1, Math.trunc(step.duration)), MODEL_LIMITS.attemptMilliseconds),
      // The stack is left out, because the errors of the test already contain the stack of the failed step.
      error: step.error ? { ...toStoredError(step.error), stack: null } : null,
      steps: parseSentSteps(step.steps ?? [], budget, depth + 1),
    });
  }
  return steps;
}
