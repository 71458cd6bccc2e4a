/** §4.4.11 The published reporter applies only the regular expressions that its own check considers safe. */
import safeRegex from 'safe-regex2';

/** Says why runners would ignore the pattern. `undefined` if they apply it. */
export function findPatternProblem(pattern: string): string | undefined {
  if (compilePattern(pattern) === undefined) return 'is not a valid JavaScript regular expression';
  return safeRegex(pattern)
    ? undefined
    : 'may take too long, so runners ignore it. Write it without nested repetitions such as `(a+)+`';
}

/** The regular expression that runners apply. `undefined` for a pattern that they ignore. */
export const compileAppliedPattern = (pattern: string): RegExp | undefined =>
  safeRegex(pattern) ? compilePattern(pattern) : undefined;

function compilePattern(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern);
  } catch {
    return undefined;
  }
}
