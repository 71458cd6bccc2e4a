/** Renders each step on exactly one line, so that no step title can look like another step. */

import type { Code } from 'mdast';
import type { FailureContext, Step, TestContext } from '#shared/context/context-wire.ts';
import { makeVisible, makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { type Block, codeBlock, makeCodeBlocks } from './nodes.ts';
import { formatMilliseconds } from './phrases.ts';

const FAILED = ' <<< FAILED';
const MARK = '>>> ';
const MESSAGE_CHARACTERS = 200;

const describeStep = ({ title, category, duration: milliseconds }: Step): string =>
  `${makeVisibleLine(title)} (${[...(category ? [makeVisibleLine(category)] : []), formatMilliseconds(milliseconds)].join(', ')})`;

export function renderFailureContext({ stepBefore, failedStep, stepAfter }: FailureContext): Block[] {
  const steps = [stepBefore, failedStep, stepAfter].filter((step) => step !== null);
  const lines = steps.map((step, index) => {
    const isFailed = step === failedStep;
    return `${isFailed ? MARK : ' '.repeat(MARK.length)}${index + 1}. ${describeStep(step)}${isFailed ? FAILED : ''}`;
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
  const walk = (step: Step, depth: number): void => {
    const isFailed = lines.length === failureContext?.failedStepIndex;
    const failure = describeFailure(step, error?.message) || (isFailed ? FAILED : '');
    lines.push(`${'  '.repeat(depth)}- ${describeStep(step)}${failure}`);
    for (const part of step.steps) walk(part, depth + 1);
  };
  for (const step of steps) walk(step, 0);
  return makeCodeBlocks(lines);
}

function describeFailure({ error }: Step, message: string | undefined): string {
  if (!error) return '';
  if (error.message === message) return FAILED;
  const [line = ''] = makeVisible(error.message).trim().split('\n', 1);
  const beginning = takeFirstCharacters(line, MESSAGE_CHARACTERS);
  return `${FAILED}: ${beginning}${beginning === line ? '' : '…'}`;
}
