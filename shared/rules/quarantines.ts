/** §4.4.11 The active rules that quarantine a test. */

import type { Person } from '#shared/access/actor.ts';
import { may } from '#shared/access/may.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { type AppliedRule, appliedRules, unpackRules } from '#shared/model/rules/rule.ts';
import { parseRuleMarks, type ShownAnnotation } from '#shared/model/rules/rule-marks.ts';
import type { WithClock } from '#shared/services.ts';
import { RULE_LIMITS } from './limits.ts';
import { isRuleMatch, type Matchable } from './match.ts';
import type { NamedTest } from './quarantine-of-test.ts';
import { hasExpired } from './status.ts';
import { tryRunWithin } from './within-time.ts';

export interface ExecutionOfTest extends NamedTest {
  readonly annotations?: readonly ShownAnnotation[] | null | undefined;
}

export const listQuarantiningRuleIds = ({ annotations }: Pick<ExecutionOfTest, 'annotations'>): string[] =>
  parseRuleMarks(annotations ?? []).flatMap(({ type, actionId }) => (type === 'quarantine' ? [actionId] : []));

/** The rules of a project that quarantine tests and that runners currently apply. */
export async function listProjectQuarantines({ table, now }: WithClock, project: ProjectKey): Promise<AppliedRule[]> {
  const appliedRow = await table.get(appliedRules, project, { consistent: true });
  return (appliedRow ? unpackRules(appliedRow) : []).filter(
    (rule) => rule.action.some(({ op }) => op === 'quarantine') && !hasExpired(rule, now()),
  );
}

/**
 * Returns the rules that match the file and title of the test, or that matched its latest execution. If a regular
 * expression takes too long, its rule and the rules after it count as not matching.
 */
export async function listTestQuarantines(
  services: WithClock,
  project: ProjectKey,
  execution: ExecutionOfTest | undefined,
): Promise<AppliedRule[]> {
  if (!execution) return [];
  const matches: AppliedRule[] = [];
  const rules = await listProjectQuarantines(services, project);
  const markedIds = listQuarantiningRuleIds(execution);
  const markedRules = rules.filter(({ actionId }) => markedIds.includes(actionId));
  tryRunWithin(RULE_LIMITS.matchMilliseconds, () => {
    for (const rule of rules)
      if (!markedRules.includes(rule) && isRuleMatch(rule.matcher, toMatchable(execution))) matches.push(rule);
  });
  return [...markedRules, ...matches];
}

/** The first rule that quarantines a test, by its file and title. */
export type QuarantineOf = (test: NamedTest) => AppliedRule | undefined;

/** If a regular expression takes too long, the tests after it count as not quarantined. */
export function matchQuarantines(rules: readonly AppliedRule[], tests: readonly NamedTest[]): QuarantineOf {
  const ruleByTest = new Map<string, AppliedRule | undefined>();
  const toKey = ({ spec, title }: NamedTest) => JSON.stringify([spec, ...title]);
  tryRunWithin(RULE_LIMITS.matchMilliseconds, () => {
    for (const test of tests)
      ruleByTest.set(
        toKey(test),
        rules.find(({ matcher }) => isRuleMatch(matcher, toMatchable(test))),
      );
  });
  return (test) => ruleByTest.get(toKey(test));
}

/** Finds the rules that quarantine tests, for people who may see rules. */
export async function readQuarantines(
  services: WithClock,
  { person, ...project }: ProjectKey & { readonly person: Person },
  tests: readonly NamedTest[],
): Promise<QuarantineOf> {
  const rules = tests.length > 0 && may(person, 'actions:read') ? await listProjectQuarantines(services, project) : [];
  return matchQuarantines(rules, tests);
}

/** Without data about executions, so a rule that requires a certain branch or error does not match. */
export const toMatchable = ({ spec, title }: NamedTest): Matchable => ({
  title: title.at(-1) ?? '',
  titlePath: [spec, ...title],
  file: spec,
  project: '',
  testId: '',
});
