/**
 * Fixtures that apply the rules of the project to Playwright tests: `export const test = base.extend(fixtures)`. A rule
 * can skip a test, quarantine it, so that its failure does not fail the run, or tag it.
 */
import type { TestInfo } from '@playwright/test';
import { toSpecPath, UNNAMED_PROJECT } from '#shared/reports/paths.ts';
import type { Matchable } from '#shared/rules/match.ts';
import { playwrightTags } from './playwright-tags.ts';
import {
  annotationsOfRules,
  gitInfoOf,
  LONGEST_WAIT,
  matchableErrors,
  matchingRules,
  noteOf,
  rulesOfProject,
  type ServedRule,
} from './rules-of-project.ts';
import { type Settings, settingsOf } from './settings.ts';

const settings = settingsOf();
const gitInfo = gitInfoOf(settings);

let asked: Promise<readonly ServedRule[]> | undefined;

/** Asks for the rules once per worker. */
const rulesOf = (of: Settings): Promise<readonly ServedRule[]> => (asked ??= rulesOfProject(of));

async function applyRules(
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of other fixtures from this pattern
  {}: object,
  use: (value: undefined) => Promise<void>,
  testInfo: TestInfo,
): Promise<void> {
  const rules = settings ? await rulesOf(settings) : [];
  const before = matchingRules(rules, matchableOf(testInfo));
  if (before.skip) {
    testInfo.annotations.push(...annotationsOfRules(before, 'skip'));
    testInfo.skip(true, noteOf('Skipped', before.skip));
  }
  await use(undefined);
  const after = matchingRules(rules, matchableOf(testInfo));
  const hasFailed = testInfo.status !== testInfo.expectedStatus && testInfo.status !== 'skipped';
  const isQuarantined = hasFailed && after.quarantine !== undefined;
  testInfo.annotations.push(...annotationsOfRules(after, isQuarantined ? 'quarantine' : undefined));
  if (!isQuarantined) return;
  // The errors of the test stay, so that people still see why it fails.
  testInfo.expectedStatus = 'skipped';
  testInfo.status = 'skipped';
}

/** The test as the conditions of rules see it. */
function matchableOf(testInfo: TestInfo): Matchable {
  const file = toSpecPath(testInfo.file, testInfo.config.rootDir.replaceAll('\\', '/'));
  return {
    title: testInfo.title,
    titlePath: [file, ...testInfo.titlePath.slice(1)],
    file,
    project: testInfo.project.name || UNNAMED_PROJECT,
    testId: testInfo.testId,
    tag: playwrightTags(testInfo, testInfo.titlePath.slice(1)),
    gitInfo,
    errors: matchableErrors(testInfo.errors.map((error) => error.message ?? '')),
  };
}

/** The fixture has a timeout of its own, so that waiting for the service does not use up the time of the first test. */
const OWN_TIME = { timeout: 2 * LONGEST_WAIT };

export const fixtures = { rundownRules: [applyRules, { auto: true, ...OWN_TIME }] } as const;
