/** Parses the steps of a test from the JSON of other tools. Limits their number and depth. */
import * as z from 'zod';
import { cutText } from '#shared/engine/cut-text.ts';
import { type EvidenceStep, NEVER_ENDED } from '#shared/model/results/evidence.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import { buildAttemptError } from './error-texts.ts';
import { listField, numberField, orNull, textField } from './json-fields-wire.ts';
import { REPORT_LIMITS } from './limits.ts';
import { roundDuration } from './times.ts';

/** Playwright writes the name of a step as `title`, CTRF as `name`. */
const Step = z.object({
  title: textField,
  name: textField,
  category: textField,
  status: textField,
  duration: numberField,
  error: orNull(z.object({ message: textField, value: textField })),
  steps: listField(z.unknown()),
});

const Steps = listField(z.unknown());

export const parseSteps = (steps: unknown): EvidenceStep[] =>
  readSteps(Steps.parse(steps), { left: REPORT_LIMITS.stepsPerTest }, 0);

function readSteps(values: readonly unknown[], budget: { left: number }, depth: number): EvidenceStep[] {
  const steps: EvidenceStep[] = [];
  if (depth === REPORT_LIMITS.stepDepth) return steps;
  for (const one of values) {
    if (budget.left === 0) break;
    const step = Step.safeParse(one).data;
    if (!step) continue;
    const { error, status } = step;
    const message = error ? error.message || error.value : '';
    budget.left -= 1;
    steps.push({
      title: cutText(step.title || step.name, REPORT_LIMITS.stepTitleCharacters),
      category: cutText(step.category || 'test.step', RECORDING_LIMITS.stepCategoryCharacters),
      duration: step.duration === undefined ? NEVER_ENDED : roundDuration(step.duration),
      error: error || status === 'failed' ? buildAttemptError({ message, stack: '', spec: '' }) : null,
      steps: readSteps(step.steps, budget, depth + 1),
    });
  }
  return steps;
}
