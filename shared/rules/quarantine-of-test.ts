/** §4.4.11 A rule that quarantines one test, by its spec file and the last part of its title. */
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import type { ConditionValue } from '#shared/model/tests/rule-matcher.ts';
import { RULE_LIMITS } from './limits.ts';

/**
 * A regular expression that matches exactly this text. The operator `eq` also matches a part of a text, so only a
 * regular expression can match a whole text. `undefined` if the expression would be too long.
 */
export function exactPattern(whole: string): string | undefined {
  const pattern = `^${whole.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`;
  return pattern.length <= RULE_LIMITS.patternCharacters ? pattern : undefined;
}

/** The text that a value matches as a whole. `undefined` for any other value. */
export function literalOf(value: ConditionValue | null): string | undefined {
  if (typeof value !== 'object' || value === null || !('pattern' in value)) return undefined;
  const text = value.pattern.slice(1, -1).replaceAll(/\\(.)/g, '$1');
  return exactPattern(text) === value.pattern ? text : undefined;
}

/** Names of rules must not contain control characters. */
export const quarantineName = (title: readonly string[]): string =>
  makeVisibleLine(`Quarantine: ${title.join(' › ')}`).slice(0, RULE_LIMITS.nameCharacters);

export interface NamedTest {
  readonly spec: string;
  readonly title: readonly string[];
}

/**
 * The request body for a rule that matches the path of the spec file and the last part of the title. Both must match as
 * a whole. If one is too long for a regular expression, the rule also matches texts that contain it.
 */
export const quarantineRule = ({ spec, title }: NamedTest, description: string) => ({
  name: quarantineName(title),
  description: makeVisibleLine(description).slice(0, RULE_LIMITS.descriptionCharacters),
  action: [{ op: 'quarantine' }],
  matcher: { op: 'AND', cond: [exactly('file', spec), exactly('title', title.at(-1) ?? '')] },
});

function exactly(type: 'file' | 'title', whole: string) {
  const pattern = exactPattern(whole);
  return { type, op: 'eq', value: pattern === undefined ? whole : { type: 'RegexPattern', pattern } };
}
