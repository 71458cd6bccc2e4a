/** The link to the rule form, prefilled to quarantine one test. */
import { toIsoDay } from '#shared/pages/design/format.tsx';
import { DAY } from '#shared/pages/design/time-units.ts';
import { addQuery, linkToRules } from '#shared/pages/shell/hrefs.ts';
import { RULE_LIMITS } from '#shared/rules/limits.ts';
import { formatQuarantineName, makeExactPattern } from '#shared/rules/quarantine-of-test.ts';
import type { RuleDraft } from './rule-fields.ts';

export const addDays = (now: number, days: number): string => toIsoDay(now + days * DAY);

/** The form, prefilled with a rule that quarantines a test by its spec file and the last part of its title. */
export const linkToQuarantine = (
  visit: Parameters<typeof linkToRules>[0],
  { spec, title }: { readonly spec: string; readonly title: readonly string[] },
  now: number,
): string =>
  addQuery(linkToRules(visit, 'new'), {
    name: formatQuarantineName(title),
    action: 'quarantine',
    type_1: 'file',
    operator_1: 'eq',
    value_1: matchExactly(spec),
    type_2: 'title',
    operator_2: 'eq',
    value_2: matchExactly(title.at(-1) ?? ''),
    expires: addDays(now, RULE_LIMITS.quarantineDays),
    show: 'preview',
  });

/** `eq` also matches a part of a text, so this is a regular expression, or the text if that would be too long. */
function matchExactly(text: string): string {
  const pattern = makeExactPattern(text);
  return pattern === undefined ? text : `/${pattern}/`;
}

/** The spec file and the title that the draft matches, if its conditions look like those of `linkToQuarantine`. */
export function findOnlyTest({ op, cond }: RuleDraft): { readonly spec: string; readonly title: string } | undefined {
  const [file, title, ...others] = cond;
  if (op !== 'AND' || file?.type !== 'file' || title?.type !== 'title' || others.length > 0) return undefined;
  if (file.operator !== 'eq' || title.operator !== 'eq') return undefined;
  const [spec, name] = [file, title].map(({ value }) => value.slice(2, -2).replaceAll(/\\(.)/g, '$1'));
  if (spec === undefined || name === undefined) return undefined;
  return matchExactly(spec) === file.value && matchExactly(name) === title.value ? { spec, title: name } : undefined;
}
