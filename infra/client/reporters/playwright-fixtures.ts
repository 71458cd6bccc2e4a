/**
 * Fixtures that apply the rules of the project to Playwright tests: `export const test = base.extend(fixtures)`. A rule
 * can skip a test, quarantine it, so that its failure does not fail the run, or tag it.
 */
import type { TestInfo } from '@playwright/test';
import type { AppliedRule } from '#shared/model/tests/rule.ts';
import { MATCH_TYPE, type RuleOperation, typeOfApplied } from '#shared/model/tests/rule-annotations.ts';
import { specPath, UNNAMED_PROJECT } from '#shared/reports/paths.ts';
import { type Matchable, matchesRule } from '#shared/rules/match.ts';
import { type Settings, settingsOf } from './settings.ts';

const REQUEST_MILLISECONDS = 10_000;

interface ServedRule extends Pick<AppliedRule, 'name' | 'matcher'> {
  readonly _id: string;
  readonly action: readonly { readonly op: string; readonly details?: { readonly tags?: readonly string[] } }[];
}

let asked: Promise<readonly ServedRule[]> | undefined;

/** Asks for the rules once per worker. Tests run as usual if the service does not answer. */
const rulesOf = (settings: Settings): Promise<readonly ServedRule[]> => (asked ??= askFor(settings));

async function askFor({ url, key, project }: Settings): Promise<readonly ServedRule[]> {
  try {
    const answer = await fetch(`${url}/v1/rules/project/${encodeURIComponent(project)}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(REQUEST_MILLISECONDS),
    });
    if (answer.ok) return rulesIn(await answer.json());
    throw new Error(`The service answered ${answer.status}`);
  } catch {
    console.error('Rundown  the rules of the project could not be read, so they do not apply');
    return [];
  }
}

function rulesIn(body: unknown): readonly ServedRule[] {
  const rules: unknown = typeof body === 'object' && body !== null && 'rules' in body ? body.rules : undefined;
  return Array.isArray(rules) ? rules : [];
}

const settings = settingsOf();

async function applyRules(
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of other fixtures from this pattern
  {}: object,
  use: (value: undefined) => Promise<void>,
  testInfo: TestInfo,
): Promise<void> {
  const rules = settings ? await rulesOf(settings) : [];
  const matching = rules.filter(({ matcher }) => matchesRule(matcher, matchableOf(testInfo)));
  const first = (operation: RuleOperation) => matching.find(({ action }) => action.some(({ op }) => op === operation));
  const skip = first('skip');
  const quarantine = first('quarantine');
  for (const rule of matching) {
    const tags = rule.action.flatMap(({ op, details }) => (op === 'tag' ? (details?.tags ?? []) : []));
    // The reporter runs in another process. It reads the tags from the annotation.
    if (tags.length > 0) mark(testInfo, typeOfApplied('tag'), rule, 'tag', tags);
  }
  if (skip) {
    mark(testInfo, typeOfApplied('skip'), skip, 'skip');
    testInfo.skip(true, `Skipped by the rule "${skip.name}"`);
  }
  mark(testInfo, MATCH_TYPE, quarantine, 'quarantine');
  await use(undefined);
  if (!quarantine || testInfo.status === testInfo.expectedStatus || testInfo.status === 'skipped') return;
  mark(testInfo, typeOfApplied('quarantine'), quarantine, 'quarantine');
  // The errors of the test stay, so that people still see why it fails.
  testInfo.expectedStatus = 'skipped';
  testInfo.status = 'skipped';
}

function mark(
  { annotations }: TestInfo,
  type: string,
  rule: ServedRule | undefined,
  operation: RuleOperation,
  tags?: readonly string[],
): void {
  if (rule) annotations.push({ type, description: JSON.stringify({ rule: { id: rule._id, type: operation }, tags }) });
}

/** The test as the conditions of rules see it. */
function matchableOf(testInfo: TestInfo): Matchable {
  const file = specPath(testInfo.file, testInfo.config.rootDir.replaceAll('\\', '/'));
  const { branch, authorName, authorEmail, remoteOrigin, message } = settings?.commit ?? {};
  return {
    title: testInfo.title,
    titlePath: [file, ...testInfo.titlePath.slice(1)],
    file,
    project: testInfo.project.name || UNNAMED_PROJECT,
    testId: testInfo.testId,
    tag: testInfo.tags,
    gitInfo: { branch, authorName, authorEmail, remoteOrigin, message },
    errors: testInfo.errors.map((error) => ({ message: error.message ?? '' })),
  };
}

/** The fixture has a time of its own, so that waiting for the service does not use up that of the first test. */
const OWN_TIME = { timeout: 2 * REQUEST_MILLISECONDS };

export const fixtures = { rundownRules: [applyRules, { auto: true, ...OWN_TIME }] } as const;
