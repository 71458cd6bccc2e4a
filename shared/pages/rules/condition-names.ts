/** Display names of rule conditions. */
import type { ConditionType, Operator } from '#shared/model/rules/rule-matcher.ts';
import type { ShownRule } from '#shared/rules/rule-wire.ts';

export const TYPE_NAMES: Readonly<Record<ConditionType, string>> = {
  testId: 'test id',
  project: 'Playwright project',
  title: 'title',
  titlePath: 'spec file and title',
  file: 'spec file',
  git_branch: 'branch',
  git_authorName: 'author',
  git_authorEmail: 'author email',
  git_remoteOrigin: 'repository',
  git_message: 'commit message',
  error_message: 'error message',
  annotation: 'annotation',
  tag: 'tag',
};

/**
 * Display names of the operators. “Matches” means that a text contains the value, that an id or project equals it, or
 * that the test has exactly the given tags.
 */
export const OPERATOR_NAMES: Readonly<Record<Operator, string>> = {
  eq: 'matches',
  neq: 'does not match',
  any: 'has any value',
  empty: 'has no value',
  in: 'matches one of',
  notIn: 'matches none of',
  inc: 'includes one of',
  notInc: 'includes none of',
  incAll: 'includes all of',
  notIncAll: 'does not include all of',
};

export function formatCondition({ type, op, value }: ShownRule['matcher']['cond'][number]): string {
  const subject = `${TYPE_NAMES[type]} ${OPERATOR_NAMES[op]}`;
  if (op === 'any' || op === 'empty') return subject;
  const values = [value ?? ''].flat().map((one) => {
    if (typeof one === 'string') return JSON.stringify(one);
    return one.type === 'RegexPattern' ? `/${one.pattern}/` : `${one.start} to ${one.end}`;
  });
  return `${subject} ${values.join(', ')}`;
}
