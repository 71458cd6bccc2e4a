/** §4.4.11 The recent tests that a rule would match, before it is saved. */
import { NO_FILTER } from '#shared/analytics/read-model.ts';
import { readSeries } from '#shared/analytics/read-series.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { splitRecordId } from '#shared/model/ids.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { listDisplayedErrors } from '#shared/model/results/attempt.ts';
import { getHistorySpan, type HistoryRow, history } from '#shared/model/results/history-row.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import type { RuleMatcher } from '#shared/model/rules/rule-matcher.ts';
import type { WithClock } from '#shared/services.ts';
import { RULE_LIMITS } from './limits.ts';
import { isRuleMatch, LASTING, type Matchable, pickLastingPart, toMatchableErrors } from './match.ts';
import type { NamedTest } from './quarantine-of-test.ts';
import { toMatchable } from './quarantines.ts';
import { runWithin } from './within-time.ts';

interface PreviewedTest extends NamedTest {
  readonly signature: string;
}

export interface Preview {
  /** The first matching tests, sorted by spec file and title. */
  readonly tests: readonly PreviewedTest[];
  /** Number of matching tests among those that were checked. */
  readonly total: number;
  /** Further tests that may match. If matching depends on executions, only a limited number is checked. */
  readonly unknown: number;
}

export async function buildPreview(services: WithClock, project: ProjectKey, matcher: RuleMatcher): Promise<Preview> {
  const now = services.now();
  const period = { from: now - RULE_LIMITS.previewMilliseconds, to: now + 1 };
  const series = await readSeries(services, project, period, NO_FILTER);
  const all = series.map(({ signature, specFile, title }): PreviewedTest => ({ signature, spec: specFile, title }));
  const tests = [...new Map(all.map((test) => [test.signature, test])).values()].sort(compareByTitle);
  const candidates = filterMatching(tests, pickLastingPart(matcher), toMatchable);
  if (matcher.cond.every(({ type }) => LASTING.has(type)))
    return { tests: candidates.slice(0, RULE_LIMITS.previewTests), total: candidates.length, unknown: 0 };
  const checkedTests = candidates.slice(0, RULE_LIMITS.previewExecutions);
  const results = await mapConcurrently(checkedTests, (test) => readLatestExecution(services, project, test, now));
  const executions = results.filter((one) => one !== undefined);
  const matches = filterMatching(executions, matcher, ({ matchable }) => matchable);
  return {
    tests: matches.slice(0, RULE_LIMITS.previewTests).map(({ test }) => test),
    total: matches.length,
    unknown: candidates.length - checkedTests.length,
  };
}

function compareByTitle(one: PreviewedTest, other: PreviewedTest): number {
  const [name, otherName] = [toSortName(one), toSortName(other)];
  if (name === otherName) return 0;
  return name < otherName ? -1 : 1;
}
const toSortName = ({ spec, title }: PreviewedTest): string => [spec, ...title].join(' > ');

function filterMatching<One>(
  all: readonly One[],
  matcher: RuleMatcher | undefined,
  getMatchable: (one: One) => Matchable,
): One[] {
  const matches: One[] = [];
  runWithin(RULE_LIMITS.matchMilliseconds, () => {
    for (const one of all) if (matcher === undefined || isRuleMatch(matcher, getMatchable(one))) matches.push(one);
  });
  return matches;
}

async function readLatestExecution(
  { table }: WithClock,
  { organizationId }: ProjectKey,
  test: PreviewedTest,
  now: number,
) {
  const span = getHistorySpan({ organizationId, signature: test.signature, list: 'all' }, 0, now + 1);
  const { rows } = await table.query(history, span, { limit: 1, newestFirst: true });
  const row = rows[0]?.item;
  return row && { test, matchable: { ...toMatchable(test), ...(await readExecutionFacts({ table }, row)) } };
}

/** What runners know of an execution when they match it. The remote of the repository is missing, as it is not stored. */
async function readExecutionFacts({ table }: WithTable, row: HistoryRow) {
  const { branch, authorName, authorEmail, message, groupId, testId, tags, organizationId } = row;
  const parts = row.hasErrors ? splitRecordId(row.recordId) : undefined;
  const record = parts && (await table.get(testRecords, { organizationId, ...parts }));
  const errors = record ? listDisplayedErrors(record.attempts) : [];
  return {
    project: groupId,
    testId,
    tag: tags,
    gitInfo: { branch, authorName, authorEmail, message },
    errors: toMatchableErrors(errors.map(({ message }) => message)),
  };
}
