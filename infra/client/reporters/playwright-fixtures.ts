/**
 * Fixtures that apply the rules of the project to Playwright tests: `export const test = base.extend(fixtures)`. A rule
 * can skip a test, quarantine it, so that its failure does not fail the run, or tag it.
 */
import type { TestInfo } from '@playwright/test';
import { toSpecPath, UNNAMED_PROJECT } from '#shared/reports/paths.ts';
import { type Matchable, toMatchableErrors } from '#shared/rules/match.ts';
import { listPlaywrightTags } from './playwright-tags.ts';
import {
  fetchProjectRules,
  formatRuleNote,
  LONGEST_WAIT,
  listRuleAnnotations,
  matchRules,
  type ServedRule,
  toGitInfo,
} from './rules-of-project.ts';
import { readReporterSettings, type Settings } from './settings.ts';

const settings = readReporterSettings();
const gitInfo = toGitInfo(settings);

let rulesRequest: Promise<readonly ServedRule[]> | undefined;

/** Asks for the rules once per worker. */
const readRulesOnce = (reporterSettings: Settings): Promise<readonly ServedRule[]> =>
  (rulesRequest ??= fetchProjectRules(reporterSettings));

async function applyRules(
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of other fixtures from this pattern
  {}: object,
  use: (value: undefined) => Promise<void>,
  testInfo: TestInfo,
): Promise<void> {
  const rules = settings ? await readRulesOnce(settings) : [];
  const before = matchRules(rules, toMatchable(testInfo));
  if (before.skip) {
    testInfo.annotations.push(...listRuleAnnotations(before, 'skip'));
    testInfo.skip(true, formatRuleNote('Skipped', before.skip));
  }
  await use(undefined);
  const after = matchRules(rules, toMatchable(testInfo));
  const hasFailed = testInfo.status !== testInfo.expectedStatus && testInfo.status !== 'skipped';
  const isQuarantined = hasFailed && after.quarantine !== undefined;
  testInfo.annotations.push(...listRuleAnnotations(after, isQuarantined ? 'quarantine' : undefined));
  if (!isQuarantined) return;
  // The errors of the test stay, so that people still see why it fails.
  testInfo.expectedStatus = 'skipped';
  testInfo.status = 'skipped';
}

function toMatchable(testInfo: TestInfo): Matchable {
  const file = toSpecPath(testInfo.file, testInfo.config.rootDir.replaceAll('\\', '/'));
  return {
    title: testInfo.title,
    titlePath: [file, ...testInfo.titlePath.slice(1)],
    file,
    project: testInfo.project.name || UNNAMED_PROJECT,
    testId: testInfo.testId,
    tag: listPlaywrightTags(testInfo, testInfo.titlePath.slice(1)),
    gitInfo,
    errors: toMatchableErrors(testInfo.errors.map((error) => error.message ?? '')),
  };
}

/** The fixture has a timeout of its own, so that waiting for the service does not use up the time of the first test. */
const OWN_TIME = { timeout: 2 * LONGEST_WAIT };

export const fixtures = { rundownRules: [applyRules, { auto: true, ...OWN_TIME }] } as const;
