/** §4.4.11 Converts between the fields of the rule form and rules in the format of the API. */
import { toIsoDay } from '#shared/pages/design/format.tsx';
import type { ShownRule } from '#shared/rules/rule-wire.ts';
import { ROWS } from './rule-form-wire.ts';

export interface RuleDraft {
  readonly name: string;
  readonly description: string;
  readonly action: readonly string[];
  readonly tags: string;
  readonly op: 'AND' | 'OR';
  /** A date (YYYY-MM-DD), or empty. */
  readonly expires: string;
  readonly cond: readonly DraftCondition[];
}

export interface DraftCondition {
  readonly type: string;
  readonly operator: string;
  /** One value per line. */
  readonly value: string;
}

const PATTERN = /^\/(.+)\/$/s;

const splitLines = (value: string): string[] =>
  value
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The API's schema validates the body. */
export const toRuleBody = ({ name, description, action, tags, expires, op, cond }: RuleDraft) => ({
  name,
  description: description.trim() || null,
  action: action.map((one) =>
    one === 'tag' ? { op: one, details: { tags: splitLines(tags.replaceAll(',', '\n')) } } : { op: one },
  ),
  matcher: toMatcher({ op, cond }),
  expiresAfter: expires === '' ? null : `${expires}T23:59:59Z`,
});

export const toMatcher = ({ op, cond }: Pick<RuleDraft, 'op' | 'cond'>) => ({
  op,
  cond: cond.map(({ type, operator, value }) => ({ type, op: operator, value: parseConditionValue(value) })),
});

function parseConditionValue(text: string) {
  const values = splitLines(text).map((line) => {
    const pattern = PATTERN.exec(line)?.[1];
    return pattern === undefined ? line : { type: 'RegexPattern', pattern };
  });
  if (values.length === 0) return null;
  return values.length === 1 ? values[0] : values;
}

/** Returns `undefined` if the rule has conditions that the form does not support. */
export function toRuleDraft({ name, description, action, expiresAfter, matcher }: ShownRule): RuleDraft | undefined {
  const cond = matcher.cond.map(({ type, op, value }) => ({ type, operator: op, value: formatConditionValue(value) }));
  const supportedConditions = cond.flatMap((row) => (row.value === undefined ? [] : [{ ...row, value: row.value }]));
  if (supportedConditions.length < cond.length) return undefined;
  const tags = action.flatMap(({ details }) => details?.tags ?? []);
  return {
    name,
    description: description ?? '',
    action: action.map(({ op }) => op),
    tags: tags.join(', '),
    op: matcher.op,
    expires: expiresAfter?.slice(0, 10) ?? '',
    cond: supportedConditions,
  };
}

function formatConditionValue(value: ShownRule['matcher']['cond'][number]['value']): string | undefined {
  const texts = [value ?? ''].flat().map((one) => {
    if (typeof one === 'string') return PATTERN.test(one) || /[\r\n]/.test(one) || one !== one.trim() ? undefined : one;
    return one.type === 'RegexPattern' && !/[\r\n]/.test(one.pattern) ? `/${one.pattern}/` : undefined;
  });
  return texts.includes(undefined) ? undefined : texts.join('\n');
}

/** Drops condition rows without a value, unless their operator needs no value. */
export function parseRuleDraft(values: Readonly<Record<string, unknown>>): RuleDraft {
  const listValues = (name: string): string[] => [values[name] ?? []].flat().map(String);
  const getValue = (name: string): string => listValues(name)[0] ?? '';
  const rows = ROWS.map((row) => ({
    type: getValue(`type_${row}`) || 'title',
    operator: getValue(`operator_${row}`) || 'eq',
    value: getValue(`value_${row}`),
  }));
  return {
    name: getValue('name'),
    description: getValue('description'),
    tags: getValue('tags'),
    expires: getValue('expires'),
    op: getValue('op') === 'OR' ? 'OR' : 'AND',
    action: listValues('action'),
    cond: rows.filter(({ value, operator }) => value.trim() !== '' || operator === 'any' || operator === 'empty'),
  };
}

/** Keeps the exact expiry time if the person did not change the date, because the form contains only the date. */
export function keepExpiry<Sent extends { readonly expiresAfter: number | null }>(
  { expiresAfter, ...changes }: Sent,
  before: Pick<ShownRule, 'expiresAfter'>,
) {
  const day = expiresAfter === null ? undefined : toIsoDay(expiresAfter);
  return day === before.expiresAfter?.slice(0, 10) ? changes : { ...changes, expiresAfter };
}
