/** A comparison as people and AI tools see it: without secrets, with the first line of each error. */

import { beginningOf, withoutAnsi } from '#shared/engine/plain-text.ts';
import { masked, maskedBeginning } from '#shared/masking/masking.ts';
import type { ComparedTest, RunComparison } from '#shared/results/comparison-wire.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';

export const shownComparison = (comparison: RunComparison): RunComparison =>
  masked({
    ...comparison,
    sections: comparison.sections.map((section) => ({ ...section, tests: section.tests.map(withFirstLine) })),
  });

type Tests = Pick<RunComparison['sections'][number], 'verdict' | 'tests'>;

export const shownTests = ({ verdict, tests }: Tests): Tests => ({ verdict, tests: masked(tests.map(withFirstLine)) });

/** An error is masked before its first line is cut, because a part of a secret no longer looks like one. */
function withFirstLine(test: ComparedTest): ComparedTest {
  if (test.error === null) return test;
  const { errorCharacters } = RESULT_LIMITS.comparison;
  const [line = ''] = withoutAnsi(maskedBeginning(test.error, 2 * errorCharacters))
    .trimStart()
    .split('\n', 1);
  return { ...test, error: beginningOf(line.trimEnd(), errorCharacters) };
}
