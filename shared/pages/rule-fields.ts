/** §4.4 The fields of the form of a rule, and the rule that they mean. */
import { RULE_LIMITS } from '#shared/rules/limits.ts';
import type { ShownRule } from '#shared/rules/rule-wire.ts';
import { ROWS } from './rule-form-wire.ts';

export interface RuleDraft {
  readonly name: string;
  readonly description: string;
  readonly action: readonly string[];
  readonly tags: string;
  readonly op: 'AND' | 'OR';
  /** A day, or nothing. */
  readonly expires: string;
  readonly cond: readonly DraftCondition[];
}

export interface DraftCondition {
  readonly type: string;
  readonly operator: string;
  /** One value on each line. */
  readonly value: string;
}

const needsValue = ({ operator }: DraftCondition): boolean => operator !== 'any' && operator !== 'empty';

const PATTERN = /^\/(.+)\/$/s;
const lines = (value: string): string[] =>
  value
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
const valueOfLine = (line: string) => {
  const pattern = PATTERN.exec(line)?.[1];
  return pattern === undefined ? line : { type: 'RegexPattern', pattern };
};

/** The body of the API that the draft means. The rules of the API check it. */
export const bodyOf = ({ name, description, action, tags, expires, op, cond }: RuleDraft) => ({
  name,
  description: description.trim() || null,
  action: action.map((one) =>
    one === 'tag' ? { op: one, details: { tags: lines(tags.replaceAll(',', '\n')) } } : { op: one },
  ),
  matcher: matcherOf({ op, cond }),
  expiresAfter: expires === '' ? null : `${expires}T23:59:59Z`,
});

export const matcherOf = ({ op, cond }: Pick<RuleDraft, 'op' | 'cond'>) => ({
  op,
  cond: cond.map((row) => {
    const values = lines(row.value).map(valueOfLine);
    return {
      type: row.type,
      op: row.operator,
      value: values.length === 1 ? values[0] : values.length === 0 ? null : values,
    };
  }),
});

/** The draft of a stored rule. `undefined`: it has conditions that only the API can write. */
export function draftOfRule({ name, description, action, expiresAfter, matcher }: ShownRule): RuleDraft | undefined {
  const cond = matcher.cond.map(({ type, op, value }) => ({ type, operator: op, value: textOf(value) }));
  const known = cond.flatMap((row) => (row.value === undefined ? [] : [{ ...row, value: row.value }]));
  if (known.length < cond.length) return undefined;
  const tags = action.flatMap(({ details }) => details?.tags ?? []);
  return {
    name,
    description: description ?? '',
    action: action.map(({ op }) => op),
    tags: tags.join(', '),
    op: matcher.op,
    expires: expiresAfter?.slice(0, 10) ?? '',
    cond: known,
  };
}

type ShownValue = ShownRule['matcher']['cond'][number]['value'];

function textOf(value: ShownValue): string | undefined {
  const texts = [value ?? ''].flat().map((one) => {
    if (typeof one === 'string') return PATTERN.test(one) || /[\r\n]/.test(one) || one !== one.trim() ? undefined : one;
    return one.type === 'RegexPattern' && !/[\r\n]/.test(one.pattern) ? `/${one.pattern}/` : undefined;
  });
  return texts.includes(undefined) ? undefined : texts.join('\n');
}

/** The draft in the fields of a form or in an address. Rows without a value are left out, unless they need none. */
export function draftIn(values: Readonly<Record<string, unknown>>): RuleDraft {
  const all = (name: string): string[] => [values[name] ?? []].flat().map(String);
  const one = (name: string): string => all(name)[0] ?? '';
  const rows = ROWS.map((row) => ({
    type: one(`type_${row}`) || 'title',
    operator: one(`operator_${row}`) || 'eq',
    value: one(`value_${row}`),
  }));
  return {
    name: one('name'),
    description: one('description'),
    tags: one('tags'),
    expires: one('expires'),
    op: one('op') === 'OR' ? 'OR' : 'AND',
    action: all('action'),
    cond: rows.filter((row) => row.value.trim() !== '' || !needsValue(row)),
  };
}

const MILLISECONDS_A_DAY = 86_400_000;
export const dayAfter = (now: number, days: number): string =>
  new Date(now + days * MILLISECONDS_A_DAY).toISOString().slice(0, 10);

/** The address fields of a rule that quarantines exactly this test. */
export function quarantineOf(
  { spec, title }: { readonly spec: string; readonly title: readonly string[] },
  now: number,
) {
  return {
    name: `Quarantine: ${title.join(' › ')}`.slice(0, RULE_LIMITS.nameCharacters),
    action: 'quarantine',
    type_1: 'file',
    operator_1: 'eq',
    value_1: exactly(spec),
    type_2: 'title',
    operator_2: 'eq',
    value_2: exactly(title.at(-1) ?? ''),
    expires: dayAfter(now, RULE_LIMITS.quarantineDays),
    show: 'preview',
  };
}

/** `eq` finds a part of a text, so the whole text is a regular expression. A long one stays a part. */
function exactly(whole: string): string {
  const pattern = `^${whole.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`;
  return pattern.length <= RULE_LIMITS.patternCharacters ? `/${pattern}/` : whole;
}

/** The form knows days only. A day that did not change must not move the end. */
export function withSameEnd<Sent extends { readonly expiresAfter: number | null }>(
  { expiresAfter, ...sent }: Sent,
  before: Pick<ShownRule, 'expiresAfter'>,
) {
  const day = expiresAfter === null ? undefined : new Date(expiresAfter).toISOString().slice(0, 10);
  return day === before.expiresAfter?.slice(0, 10) ? sent : { ...sent, expiresAfter };
}
