/** Renders each step on exactly one line, so that no step title can look like another step. */

import type { Code } from 'mdast';
import type { FailureContext, Step, TestContext } from '#shared/context/context-wire.ts';
import { makeVisible, makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { type Block, fenced, fencedLines } from './nodes.ts';
import { duration } from './phrases.ts';

const FAILED = ' <<< FAILED';
const MARK = '>>> ';
const MESSAGE_CHARACTERS = 200;

const describeStep = ({ title, category, duration: milliseconds }: Step): string =>
  `${makeVisibleLine(title)} (${[...(category ? [makeVisibleLine(category)] : []), duration(milliseconds)].join(', ')})`;

/** Renders the failed step with the steps before and after it. */
export function failureContextBlocks({ stepBefore, failedStep, stepAfter }: FailureContext): Block[] {
  const steps = [stepBefore, failedStep, stepAfter].filter((step) => step !== null);
  const lines = steps.map((step, index) => {
    const isFailed = step === failedStep;
    return `${isFailed ? MARK : ' '.repeat(MARK.length)}${index + 1}. ${describeStep(step)}${isFailed ? FAILED : ''}`;
  });
  return [fenced(lines.join('\n'))];
}

/**
 * Renders all steps of a test, indented by nesting. The failed step is marked even without an error, as after a
 * timeout. Step errors appear only if they differ from the error of the test.
 */
export function stepTreeBlocks({
  steps = [],
  error,
  failureContext,
}: Pick<TestContext, 'steps' | 'error' | 'failureContext'>): Code[] {
  const lines: string[] = [];
  const walk = (step: Step, depth: number): void => {
    const isFailed = lines.length === failureContext?.failedStepIndex;
    const failure = failureOf(step, error?.message) || (isFailed ? FAILED : '');
    lines.push(`${'  '.repeat(depth)}- ${describeStep(step)}${failure}`);
    for (const part of step.steps) walk(part, depth + 1);
  };
  for (const step of steps) walk(step, 0);
  return fencedLines(lines);
}

function failureOf({ error }: Step, message: string | undefined): string {
  if (!error) return '';
  if (error.message === message) return FAILED;
  const [line = ''] = makeVisible(error.message).trim().split('\n', 1);
  const shown = takeFirstCharacters(line, MESSAGE_CHARACTERS);
  return `${FAILED}: ${shown}${shown === line ? '' : '…'}`;
}
