/** A comparison of runs as people and AI tools see it: secrets are masked, and each error is reduced to one line. */

import { removeControlSequences, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { formatErrorLine } from '#shared/errors/error-line.ts';
import { maskObject } from '#shared/masking/mask-object.ts';
import { maskBeginning } from '#shared/masking/masking.ts';
import type { ComparedTest, RunComparison } from '#shared/results/comparisons/comparison-wire.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { CONTEXT_LIMITS } from './limits.ts';

export const presentComparison = (comparison: RunComparison): RunComparison => maskTests(comparison, reduceToFirstLine);

/** Like `presentComparison`, but the line of each error also says what was expected and received. */
export const presentComparisonInLines = (comparison: RunComparison): RunComparison =>
  maskTests(comparison, reduceToErrorLine);

const maskTests = (comparison: RunComparison, reduceTest: (test: ComparedTest) => ComparedTest): RunComparison =>
  maskObject({
    ...comparison,
    sections: comparison.sections.map((section) => ({ ...section, tests: section.tests.map(reduceTest) })),
  });

export const presentTestsInLines = (tests: readonly ComparedTest[]): ComparedTest[] =>
  maskObject(tests.map(reduceToErrorLine));

/** An error is masked before it is cut or parsed, because a cut secret may not be recognized as a secret. */
function reduceToErrorLine(test: ComparedTest): ComparedTest {
  if (test.error === null) return test;
  const message = maskBeginning(test.error, CONTEXT_LIMITS.readCharacters);
  return { ...test, error: formatErrorLine({ message, stack: null }, RESULT_LIMITS.comparison.errorCharacters) };
}

type Tests = Pick<RunComparison['sections'][number], 'verdict' | 'tests'>;

export const presentTests = ({ verdict, tests }: Tests): Tests => ({
  verdict,
  tests: maskObject(tests.map(reduceToFirstLine)),
});

function reduceToFirstLine(test: ComparedTest): ComparedTest {
  if (test.error === null) return test;
  const { errorCharacters } = RESULT_LIMITS.comparison;
  const [line = ''] = removeControlSequences(maskBeginning(test.error, 2 * errorCharacters))
    .trimStart()
    .split('\n', 1);
  return { ...test, error: takeFirstCharacters(line.trimEnd(), errorCharacters) };
}
