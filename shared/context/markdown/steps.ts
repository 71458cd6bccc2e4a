/** Renders each step on exactly one line, so that no step title can look like another step. */

import type { Code } from 'mdast';
import type { FailureContext, Step, TestContext } from '#shared/context/context-wire.ts';
import { makeVisible, makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { type Block, codeBlock, makeCodeBlocks } from './nodes.ts';
import { formatMilliseconds } from './phrases.ts';

const FAILED = ' <<< FAILED';
const MARK = '>>> ';
const MESSAGE_CHARACTERS = 200;

function describeStep({ title, category, duration }: Step): string {
  const facts = formatMilliseconds(duration);
  return `${makeVisibleLine(title)} (${category ? `${makeVisibleLine(category)}, ${facts}` : facts})`;
}

export function renderFailureContext({ stepBefore, failedStep, stepAfter }: FailureContext): Block[] {
  const steps = [stepBefore, failedStep, stepAfter].filter((step) => step !== null);
  const lines = steps.map((step, index) => {
    const text = `${index + 1}. ${describeStep(step)}`;
    return step === failedStep ? `${MARK}${text}${FAILED}` : `${' '.repeat(MARK.length)}${text}`;
  });
  return [codeBlock(lines.join('\n'))];
}

/** Marks the failed step even without an error, as after a timeout. Shows errors that differ from that of the test. */
export function renderStepTree({
  steps = [],
  error,
  failureContext,
}: Pick<TestContext, 'steps' | 'error' | 'failureContext'>): Code[] {
  const lines: string[] = [];
  const addStep = (step: Step, depth: number): void => {
    const isFailed = lines.length === failureContext?.failedStepIndex;
    const failure = describeFailure(step, error?.message) || (isFailed ? FAILED : '');
    lines.push(`${'  '.repeat(depth)}- ${describeStep(step)}${failure}`);
    for (const nestedStep of step.steps) addStep(nestedStep, depth + 1);
  };
  for (const step of steps) addStep(step, 0);
  return makeCodeBlocks(lines);
}

/** `testMessage`: the message of the error of the test, which is shown elsewhere. */
function describeFailure({ error }: Step, testMessage: string | undefined): string {
  if (!error) return '';
  if (error.message === testMessage) return FAILED;
  const [line = ''] = makeVisible(error.message).trim().split('\n', 1);
  const beginning = takeFirstCharacters(line, MESSAGE_CHARACTERS);
  return `${FAILED}: ${beginning}${beginning === line ? '' : '…'}`;
}
