/**
 * §4.4.11 Checks the regular expressions of rules. The published reporter applies only those that its own check
 * considers safe.
 */
import safeRegex from 'safe-regex2';

/** Says why runners would ignore the pattern. `undefined` if they apply it. */
export function problemOfPattern(pattern: string): string | undefined {
  if (compiled(pattern) === undefined) return 'is not a valid JavaScript regular expression';
  return safeRegex(pattern)
    ? undefined
    : 'may take too long, so runners ignore it. Write it without nested repetitions such as `(a+)+`';
}

/** The regular expression that runners apply. `undefined` for a pattern that they ignore. */
export const appliedPattern = (pattern: string): RegExp | undefined =>
  safeRegex(pattern) ? compiled(pattern) : undefined;

function compiled(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern);
  } catch {
    return undefined;
  }
}
