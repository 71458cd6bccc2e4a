/** Steps, each in a line of its own: no title can begin another. */
import { beginningOf, visible, visibleLine } from '../plain-text.ts';
import type { FailureContext, Step, TestContext } from '../shape.ts';
import { type Block, fenced } from './nodes.ts';
import { duration } from './phrases.ts';

const FAILED = ' <<< FAILED';
const MARK = '>>> ';
const MESSAGE_CHARACTERS = 200;

const described = ({ title, category, duration: milliseconds }: Step): string =>
  `${visibleLine(title)} (${[...(category ? [visibleLine(category)] : []), duration(milliseconds)].join(', ')})`;

/** The step that failed, between the one before and the one after it. */
export function failureContextBlocks({ stepBefore, failedStep, stepAfter }: FailureContext): Block[] {
  const steps = [stepBefore, failedStep, stepAfter].filter((step) => step !== null);
  const lines = steps.map((step, index) => {
    const isFailed = step === failedStep;
    return `${isFailed ? MARK : ' '.repeat(MARK.length)}${index + 1}. ${described(step)}${isFailed ? FAILED : ''}`;
  });
  return [fenced(lines.join('\n'))];
}

/**
 * All steps of a test, indented by what they are part of. The one that failed is marked although it may have no error, as
 * when the time ran out. What errors say is repeated only where it is not what the test's own says.
 */
export function stepTreeBlocks({ steps = [], error, failureContext }: TestContext): Block[] {
  const lines: string[] = [];
  const walk = (step: Step, depth: number): void => {
    const isFailed = lines.length === failureContext?.failedStepIndex;
    const failure = failureOf(step, error?.message) || (isFailed ? FAILED : '');
    lines.push(`${'  '.repeat(depth)}- ${described(step)}${failure}`);
    for (const part of step.steps) walk(part, depth + 1);
  };
  for (const step of steps) walk(step, 0);
  return lines.length > 0 ? [fenced(lines.join('\n'))] : [];
}

function failureOf({ error }: Step, message: string | undefined): string {
  if (!error) return '';
  if (error.message === message) return FAILED;
  const [line = ''] = visible(error.message).trim().split('\n', 1);
  const shown = beginningOf(line, MESSAGE_CHARACTERS);
  return `${FAILED}: ${shown}${shown === line ? '' : '…'}`;
}
