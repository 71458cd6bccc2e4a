/** §4.4.11 The active rules that quarantine a test. */
import type { ProjectKey } from '#shared/model/keys.ts';
import { type AppliedRule, appliedRules, unpackRules } from '#shared/model/tests/rule.ts';
import { parseRuleMarks, type ShownAnnotation } from '#shared/model/tests/rule-marks.ts';
import type { WithClock } from '#shared/services.ts';
import { RULE_LIMITS } from './limits.ts';
import { type Matchable, matchesRule } from './match.ts';
import type { NamedTest } from './quarantine-of-test.ts';
import { hasExpired } from './status.ts';
import { endsWithin } from './within-time.ts';

export interface ExecutionOfTest extends NamedTest {
  readonly annotations?: readonly ShownAnnotation[] | null | undefined;
}

/** The ids of the rules that quarantined the execution. */
export const quarantinedBy = ({ annotations }: Pick<ExecutionOfTest, 'annotations'>): string[] =>
  parseRuleMarks(annotations ?? []).flatMap(({ type, actionId }) => (type === 'quarantine' ? [actionId] : []));

/** The rules of a project that quarantine tests and that runners currently apply. */
export async function quarantinesOfProject({ table, now }: WithClock, of: ProjectKey): Promise<AppliedRule[]> {
  const applied = await table.get(appliedRules, of, { consistent: true });
  return (applied ? unpackRules(applied) : []).filter(
    (rule) => rule.action.some(({ op }) => op === 'quarantine') && !hasExpired(rule, now()),
  );
}

/**
 * Returns the rules that match the file and title of the test, or that matched its latest execution. If a regular
 * expression takes too long, its rule and the rules after it count as not matching.
 */
export async function quarantinesOfTest(
  services: WithClock,
  of: ProjectKey,
  latest: ExecutionOfTest | undefined,
): Promise<AppliedRule[]> {
  if (!latest) return [];
  const found: AppliedRule[] = [];
  const rules = await quarantinesOfProject(services, of);
  const marked = quarantinedBy(latest);
  const known = rules.filter(({ actionId }) => marked.includes(actionId));
  endsWithin(RULE_LIMITS.matchMilliseconds, () => {
    for (const rule of rules)
      if (!known.includes(rule) && matchesRule(rule.matcher, matchableOf(latest))) found.push(rule);
  });
  return [...known, ...found];
}

/**
 * The data about a test that rules are matched against, without data about its executions. So a rule that requires a
 * certain branch or error does not match.
 */
export const matchableOf = ({ spec, title }: NamedTest): Matchable => ({
  title: title.at(-1) ?? '',
  titlePath: [spec, ...title],
  file: spec,
  project: '',
  testId: '',
});
