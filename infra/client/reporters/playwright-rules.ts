/**
 * Applies the rules of the project in the reporter, without fixtures: a rule can skip a test before it runs, quarantine
 * its failure, or tag it. Playwright 1.62 and later call `preprocess` of a reporter. In earlier versions, only fixtures
 * can apply rules. If a suite has both, each annotation of a test is recorded once.
 */
import type { FullConfig, Suite, TestCase, TestResult, TestRun } from '@playwright/test/reporter';
import type { RuleAnnotation } from '#shared/model/rules/rule-annotations.ts';
import { toForwardSlashes, toSpecPath, UNNAMED_PROJECT } from '#shared/reports/paths.ts';
import { type Matchable, toMatchableErrors } from '#shared/rules/match.ts';
import { listPlaywrightTags } from './playwright-tags.ts';
import {
  fetchProjectRules,
  formatRuleNote,
  listRuleAnnotations,
  matchRules,
  type RuleMatch,
  type ServedRule,
  toGitInfo,
} from './rules-of-project.ts';
import type { Settings } from './settings.ts';

/** What the rules do to a test. */
export interface RuleEffect {
  readonly annotations: readonly RuleAnnotation[];
  readonly isQuarantined: boolean;
}

const NO_EFFECT: RuleEffect = { annotations: [], isQuarantined: false };

export class PlaywrightRules {
  readonly #rules: readonly ServedRule[];
  readonly #gitInfo: Matchable['gitInfo'];
  readonly #root: string;
  /** The tests that rules match before they run. */
  readonly #matches = new Map<TestCase, RuleMatch>();
  readonly #skipped = new Set<TestCase>();

  private constructor(rules: readonly ServedRule[], settings: Settings, config: FullConfig) {
    this.#rules = rules;
    this.#gitInfo = toGitInfo(settings);
    this.#root = toForwardSlashes(config.rootDir);
  }

  static async read(settings: Settings, config: FullConfig): Promise<PlaywrightRules> {
    return new PlaywrightRules(await fetchProjectRules(settings), settings, config);
  }

  skipTests(suite: Suite, testRun: TestRun): void {
    if (this.#rules.length === 0) return;
    for (const test of suite.allTests()) {
      const match = matchRules(this.#rules, this.#toMatchable(test, []));
      if (match.all.length > 0) this.#matches.set(test, match);
      if (!match.skip) continue;
      try {
        testRun.skip(test, formatRuleNote('Skipped', match.skip));
        this.#skipped.add(test);
      } catch {
        console.error(`Rundown  ${test.title} is part of a setup project, so no rule skips it`);
      }
    }
  }

  /** Ends the retries of a test that is quarantined, as fixtures do. Playwright decides about them after `onTestEnd`. */
  endRetries(test: TestCase, { retry }: TestResult): void {
    if (retry < test.retries && this.findEffect(test).isQuarantined) Object.assign(test, { retries: retry });
  }

  findEffect(test: TestCase): RuleEffect {
    if (this.#rules.length === 0) return NO_EFFECT;
    const match = this.#findMatch(test);
    if (!match) return NO_EFFECT;
    const isSkipped = this.#skipped.has(test);
    const isQuarantined = !isSkipped && match.quarantine !== undefined && hasEndedBadly(test);
    const effect = isSkipped ? 'skip' : isQuarantined ? 'quarantine' : undefined;
    const isNew = ({ type, description }: RuleAnnotation) =>
      !test.annotations.some((one) => one.type === type && one.description === description);
    return { annotations: listRuleAnnotations(match, effect).filter(isNew), isQuarantined };
  }

  /**
   * Whether the run failed only because of quarantined tests. A test that did not run because of one must be quarantined
   * itself. Nothing else is forgiven, such as flaky tests if the configuration says that they fail the run.
   */
  forgives(suite: Suite, { failOnFlakyTests }: Pick<FullConfig, 'failOnFlakyTests'>): boolean {
    const problemTests = suite
      .allTests()
      .filter(
        (test) =>
          !test.ok() ||
          hasEndedBadly(test) ||
          (test.results.length === 0 && test.expectedStatus !== 'skipped') ||
          (failOnFlakyTests && test.outcome() === 'flaky'),
      );
    return problemTests.length > 0 && problemTests.every((test) => this.findEffect(test).isQuarantined);
  }

  /** Conditions about errors can only be met by a test that has failed. */
  #findMatch(test: TestCase): RuleMatch | undefined {
    const errors = test.results.at(-1)?.errors ?? [];
    if (errors.length === 0) return this.#matches.get(test);
    const messages = errors.map(({ message = '' }) => message);
    return matchRules(this.#rules, this.#toMatchable(test, messages));
  }

  #toMatchable(test: TestCase, errors: readonly string[]): Matchable {
    const [, project, , ...titles] = test.titlePath();
    const file = toSpecPath(test.location.file, this.#root);
    return {
      title: test.title,
      titlePath: [file, ...titles],
      file,
      project: project || UNNAMED_PROJECT,
      testId: test.id,
      tag: listPlaywrightTags(test, titles),
      gitInfo: this.#gitInfo,
      errors: toMatchableErrors(errors),
    };
  }
}

/** Whether the last attempt failed, or could not run because a hook or an earlier test of a serial suite failed. */
function hasEndedBadly({ results, expectedStatus }: TestCase): boolean {
  const { status } = results.at(-1) ?? {};
  return status !== undefined && status !== 'interrupted' && status !== expectedStatus;
}
