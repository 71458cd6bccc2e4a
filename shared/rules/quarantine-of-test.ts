/** §4.4.11 A rule that quarantines one test, by its spec file and the last part of its title. */
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import type { ConditionValue } from '#shared/model/rules/rule-matcher.ts';
import { RULE_LIMITS } from './limits.ts';

/** `eq` also matches a part of a text, so a whole text needs a regular expression. `undefined` if it is too long. */
export function makeExactPattern(text: string): string | undefined {
  const pattern = `^${text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`;
  return pattern.length <= RULE_LIMITS.patternCharacters ? pattern : undefined;
}

/** The text that a value matches as a whole. `undefined` for any other value. */
export function parseLiteral(value: ConditionValue | null): string | undefined {
  if (typeof value !== 'object' || value === null || !('pattern' in value)) return undefined;
  const text = value.pattern.slice(1, -1).replaceAll(/\\(.)/g, '$1');
  return makeExactPattern(text) === value.pattern ? text : undefined;
}

/** Names of rules must not contain control characters. */
export const formatQuarantineName = (title: readonly string[]): string =>
  makeVisibleLine(`Quarantine: ${title.join(' › ')}`).slice(0, RULE_LIMITS.nameCharacters);

export interface NamedTest {
  readonly spec: string;
  readonly title: readonly string[];
}

/** The spec file and the last part of the title match as a whole, or if too long for a pattern, as a part. */
export const makeQuarantineRule = ({ spec, title }: NamedTest, description: string) => ({
  name: formatQuarantineName(title),
  description: makeVisibleLine(description).slice(0, RULE_LIMITS.descriptionCharacters),
  action: [{ op: 'quarantine' }],
  matcher: { op: 'AND', cond: [makeExactCondition('file', spec), makeExactCondition('title', title.at(-1) ?? '')] },
});

function makeExactCondition(type: 'file' | 'title', text: string) {
  const pattern = makeExactPattern(text);
  return { type, op: 'eq', value: pattern === undefined ? text : { type: 'RegexPattern', pattern } };
}
