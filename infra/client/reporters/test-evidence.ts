/** Leaves out what the service would not store, so that it is not sent. */
import type { FinishedTest } from './messages.ts';

/** The service keeps only this many characters from the end of each output of a test. */
export const OUTPUT_CHARACTERS = 65_536;
/** Leaves out the steps and the output of a test that simply passed. */
export function omitEvidence({
  isFlaky = false,
  attempts,
  annotations = [],
  tags = [],
  expectedStatus,
  ...test
}: FinishedTest) {
  const isPlain = attempts.length === 1 && test.state === 'passed' && !isFlaky;
  return {
    ...test,
    isFlaky,
    expectedStatus: expectedStatus === 'passed' ? undefined : expectedStatus,
    attempts: attempts.map(({ steps, stdout, stderr, ...attempt }) =>
      isPlain ? attempt : { ...attempt, steps, stdout: takeLastTexts(stdout), stderr: takeLastTexts(stderr) },
    ),
    annotations: annotations.length > 0 ? annotations : undefined,
    tags: tags.length > 0 ? tags : undefined,
  };
}

function takeLastTexts(texts: readonly string[] | undefined): readonly string[] | undefined {
  if (!texts || texts.length === 0) return undefined;
  const lastTexts: string[] = [];
  let characters = 0;
  for (const text of texts.toReversed()) {
    if (characters >= OUTPUT_CHARACTERS) break;
    lastTexts.push(text.slice(-OUTPUT_CHARACTERS));
    characters += text.length;
  }
  return lastTexts.reverse();
}
