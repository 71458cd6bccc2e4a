/** A comparison of runs as people and AI tools see it: secrets are masked, and each error is reduced to one line. */

import { removeControlSequences, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { errorLine } from '#shared/errors/error-line.ts';
import { masked, maskedBeginning } from '#shared/masking/masking.ts';
import type { ComparedTest, RunComparison } from '#shared/results/comparison-wire.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { CONTEXT_LIMITS } from './limits.ts';

export const shownComparison = (comparison: RunComparison): RunComparison => withErrors(comparison, withFirstLine);

/** Like `shownComparison`, but the line of each error also says what was expected and received. */
export const comparisonInLines = (comparison: RunComparison): RunComparison => withErrors(comparison, withErrorLine);

const withErrors = (comparison: RunComparison, shown: (test: ComparedTest) => ComparedTest): RunComparison =>
  masked({
    ...comparison,
    sections: comparison.sections.map((section) => ({ ...section, tests: section.tests.map(shown) })),
  });

export const testsInLines = (tests: readonly ComparedTest[]): ComparedTest[] => masked(tests.map(withErrorLine));

/** An error is masked before it is cut or parsed, because a cut secret may not be recognized as a secret. */
function withErrorLine(test: ComparedTest): ComparedTest {
  if (test.error === null) return test;
  const message = maskedBeginning(test.error, CONTEXT_LIMITS.readCharacters);
  return { ...test, error: errorLine({ message, stack: null }, RESULT_LIMITS.comparison.errorCharacters) };
}

type Tests = Pick<RunComparison['sections'][number], 'verdict' | 'tests'>;

export const shownTests = ({ verdict, tests }: Tests): Tests => ({ verdict, tests: masked(tests.map(withFirstLine)) });

/** An error is masked before it is cut to its first line, because a cut secret may not be recognized as a secret. */
function withFirstLine(test: ComparedTest): ComparedTest {
  if (test.error === null) return test;
  const { errorCharacters } = RESULT_LIMITS.comparison;
  const [line = ''] = removeControlSequences(maskedBeginning(test.error, 2 * errorCharacters))
    .trimStart()
    .split('\n', 1);
  return { ...test, error: takeFirstCharacters(line.trimEnd(), errorCharacters) };
}
