/**
 * Applies the quarantines of a project to a parsed report, as our reporters do while tests run: the failure of a
 * quarantined test is recorded as pending, with its errors, and does not fail the run.
 */
import { cutText } from '#shared/engine/cut-text.ts';
import { computeDigest } from '#shared/engine/table/keys.ts';
import type { ReportedInstance, ReportedTest } from '#shared/ingest/reported.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import type { Annotation } from '#shared/model/results/attempt.ts';
import type { AppliedRule } from '#shared/model/rules/rule.ts';
import { getAppliedType, MATCH_TYPE, makeRuleAnnotation } from '#shared/model/rules/rule-annotations.ts';
import type { Commit } from '#shared/model/runs/commit.ts';
import type { ImportOptions, QuarantinedFailures } from '#shared/model/runs/import.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { RULE_LIMITS } from '#shared/rules/limits.ts';
import { isRuleMatch, type Matchable, toMatchableErrors } from '#shared/rules/match.ts';
import { listProjectQuarantines } from '#shared/rules/quarantines.ts';
import { tryRunWithin } from '#shared/rules/within-time.ts';
import type { WithClock } from '#shared/services.ts';
import { IMPORT_LIMITS } from './limits.ts';

/** `undefined` if the request does not ask for quarantines. */
export const readQuarantines = async (
  services: WithClock,
  { options, ...project }: ProjectKey & { readonly options: ImportOptions },
): Promise<readonly AppliedRule[] | undefined> =>
  options.quarantine ? listProjectQuarantines(services, project) : undefined;

const DIGEST_CHARACTERS = 16;

export const hashRules = (rules: readonly AppliedRule[]): string =>
  computeDigest(DIGEST_CHARACTERS, JSON.stringify(rules.map(({ actionId, v }) => [actionId, v])));

interface AppliedQuarantines {
  readonly parsed: readonly ParsedFile[];
  readonly failures: Omit<QuarantinedFailures, 'problems'>;
}

type RuleOf = (test: ReportedTest) => AppliedRule | undefined;

/** A test that did not run because another one failed must be quarantined itself: nobody has checked it. */
export function applyQuarantines(
  files: readonly ParsedFile[],
  rules: readonly AppliedRule[],
  commit: Commit,
): AppliedQuarantines {
  const instances = files.flatMap((file) => file.instances);
  const ruleOf = matchTests(instances, rules, commit);
  const openTests = instances.flatMap(({ spec, tests }) =>
    tests.filter(isOpen).map((test) => ({ name: [spec, ...test.title].join(' › '), isQuarantined: ruleOf(test) })),
  );
  const others = openTests.filter(({ isQuarantined }) => !isQuarantined);
  const names = others.slice(0, IMPORT_LIMITS.namedFailures);
  return {
    parsed: files.map((file) => ({
      ...file,
      instances: file.instances.map((instance) => ({
        ...instance,
        tests: instance.tests.map((test) => quarantine(test, ruleOf(test))),
      })),
    })),
    failures: {
      failures: openTests.length,
      quarantined: openTests.length - others.length,
      others: names.map(({ name }) => cutText(name, IMPORT_LIMITS.namedFailureCharacters)),
    },
  };
}

const isOpen = ({ outcome }: ReportedTest): boolean => outcome === 'failed' || outcome === 'skipped';

/**
 * Failures first, because the time for regular expressions is limited. What was not matched in time is not quarantined.
 * Tests that passed are matched as well, so that people see which quarantines are no longer needed.
 */
function matchTests(instances: readonly ReportedInstance[], rules: readonly AppliedRule[], commit: Commit): RuleOf {
  const matches = new Map<ReportedTest, AppliedRule>();
  if (rules.length === 0) return () => undefined;
  const matchAll = (isCandidate: (test: ReportedTest) => boolean) =>
    tryRunWithin(RULE_LIMITS.matchMilliseconds, () => {
      for (const instance of instances)
        for (const test of instance.tests.filter(isCandidate)) {
          const matchable = toMatchable(instance, test, commit);
          const rule = rules.find(({ matcher }) => isRuleMatch(matcher, matchable));
          if (rule) matches.set(test, rule);
        }
    });
  if (matchAll(isOpen)) matchAll(({ outcome }) => outcome === 'passed');
  return (test) => matches.get(test);
}

const toMatchable = ({ spec, groupId }: ReportedInstance, test: ReportedTest, commit: Commit): Matchable => ({
  title: test.title.at(-1) ?? '',
  titlePath: [spec, ...test.title],
  file: spec,
  project: groupId,
  testId: test.testId,
  tag: test.tags,
  gitInfo: commit,
  errors: toMatchableErrors((test.attempts.at(-1)?.errors ?? []).map(({ message }) => message)),
});

function quarantine(test: ReportedTest, rule: AppliedRule | undefined): ReportedTest {
  if (!rule) return test;
  const { actionId } = rule;
  const annotations: Annotation[] = [...test.annotations, makeRuleAnnotation(MATCH_TYPE, actionId, 'quarantine')];
  if (!isOpen(test)) return { ...test, annotations };
  const last = test.attempts.length - 1;
  return {
    ...test,
    outcome: 'pending',
    flaky: false,
    expectedStatus: 'skipped',
    attempts: test.attempts.map((attempt, index) =>
      index === last ? { ...attempt, state: 'pending', rawStatus: 'skipped' } : attempt,
    ),
    annotations: [...annotations, makeRuleAnnotation(getAppliedType('quarantine'), actionId, 'quarantine')],
  };
}
