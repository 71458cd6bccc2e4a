/** §4.4.11 Regular expressions of rules. Runners apply only those that the check of the published reporter calls safe. */
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
