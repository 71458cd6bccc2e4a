/** A comparison as people and AI tools see it: without secrets, with the first line of each error. */

import { beginningOf, withoutAnsi } from '#shared/engine/plain-text.ts';
import type { ComparedTest, RunComparison } from '#shared/results/comparison-wire.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { masked } from './masking.ts';

/** Masks before it cuts, because a part of a secret no longer looks like one. */
export function shownComparison(comparison: RunComparison): RunComparison {
  const safe = masked(comparison);
  return {
    ...safe,
    sections: safe.sections.map((section) => ({ ...section, tests: section.tests.map(withFirstLine) })),
  };
}

type Tests = Pick<RunComparison['sections'][number], 'verdict' | 'tests'>;

export const shownTests = ({ verdict, tests }: Tests): Tests => ({ verdict, tests: masked(tests).map(withFirstLine) });

function withFirstLine(test: ComparedTest): ComparedTest {
  if (test.error === null) return test;
  const [line = ''] = withoutAnsi(test.error).trimStart().split('\n', 1);
  return { ...test, error: beginningOf(line.trimEnd(), RESULT_LIMITS.comparison.errorCharacters) };
}
