/** §4.4.12 The tests that rules matched, from the totals of ended runs. */
import type * as z from 'zod';
import { paginateByOffset } from '#shared/analytics/metrics/offset-page.ts';
import { toPeriod } from '#shared/analytics/metrics/range-wire.ts';
import { sumOutcomes } from '#shared/analytics/metrics/totals.ts';
import { NO_FILTER, type SeriesTotals } from '#shared/analytics/read-model.ts';
import { readSeries } from '#shared/analytics/read-series.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { findProject } from '#shared/find-project.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { RecordedTestOutcome } from '#shared/model/results/outcomes.ts';
import { archivedRules, type Rule, rules } from '#shared/model/rules/rule.ts';
import { decodeMark, type RuleMark } from '#shared/model/rules/rule-marks.ts';
import { contains } from '#shared/results/contains.ts';
import type { WithClock } from '#shared/services.ts';
import type { AffectedTestRow, AffectedTestsPage, AffectedTestsQuery } from './affected-wire.ts';
import { deriveRuleStatus } from './status.ts';

interface TestSums extends Pick<AffectedTestRow, 'executions' | 'passes' | 'failures' | 'ignored'> {
  readonly about: SeriesTotals;
  readonly marks: ReadonlyMap<string, RuleMark>;
  readonly lastSeen: number;
}

export async function listAffectedTests(
  services: WithClock,
  { organizationId, query }: { readonly organizationId: string; readonly query: AffectedTestsQuery },
): Promise<z.infer<typeof AffectedTestsPage>> {
  const { projectId, search, action_type: types, action_id: actionId, status, dir } = query;
  const projectKey = { organizationId, projectId };
  const [series] = await Promise.all([
    readSeries(services, projectKey, toPeriod(query), NO_FILTER),
    findProject(services, projectKey),
  ]);
  const markedSeries = series.filter(({ annotations }) => annotations.some((one) => decodeMark(one)));
  const rulesById = await readNamedRules(services, projectKey, markedSeries);
  const now = services.now();
  const isWanted = (mark: RuleMark) => {
    const rule = rulesById.get(mark.actionId);
    return (
      (types.length === 0 || types.includes(mark.type)) &&
      (actionId === undefined || actionId === mark.actionId) &&
      (status.length === 0 || (rule !== undefined && status.includes(deriveRuleStatus(rule, now))))
    );
  };
  const tests = sumSeriesByTest(markedSeries, isWanted).filter(
    ({ about }) => search === undefined || contains([about.specFile, ...about.title].join(' > '), search),
  );
  const sortedTests = tests.sort(
    (one, other) => other.lastSeen - one.lastSeen || (one.about.signature < other.about.signature ? -1 : 1),
  );
  const page = paginateByOffset(dir === 'asc' ? sortedTests.reverse() : sortedTests, query);
  return { ...page, list: page.list.map((one) => presentAffectedTest(one, rulesById)) };
}

/** An annotation may name a rule that was removed or that never existed. */
async function readNamedRules({ table }: WithClock, projectKey: ProjectKey, series: readonly SeriesTotals[]) {
  const marks = series.flatMap(({ annotations }) => annotations.flatMap((one) => decodeMark(one) ?? []));
  const keys = [...new Set(marks.map(({ actionId }) => actionId))].map((actionId) => ({ ...projectKey, actionId }));
  const [currentRules, pastRules] = await Promise.all([table.getMany(rules, keys), table.getMany(archivedRules, keys)]);
  return new Map([...currentRules, ...pastRules].flatMap((rule) => (rule ? [[rule.actionId, rule] as const] : [])));
}

/** A test has several series if, for example, different rules matched it over time. */
function sumSeriesByTest(series: readonly SeriesTotals[], isWanted: (mark: RuleMark) => boolean): TestSums[] {
  const sums = new Map<string, TestSums>();
  for (const about of series) {
    const marks = about.annotations.flatMap((one) => decodeMark(one) ?? []).filter(isWanted);
    if (marks.length === 0) continue;
    const before = sums.get(about.signature) ?? { ...NOTHING, about };
    const { executions } = about.totals;
    sums.set(about.signature, {
      about,
      marks: new Map([...before.marks, ...marks.map((mark) => [`${mark.type} ${mark.actionId}`, mark] as const)]),
      executions: before.executions + sumOutcomes(executions, RecordedTestOutcome.options),
      passes: before.passes + executions.passed,
      failures: before.failures + executions.failed + executions.skipped,
      ignored: before.ignored + executions.pending,
      lastSeen: Math.max(before.lastSeen, about.lastSeen),
    });
  }
  return [...sums.values()];
}

const NOTHING = { marks: new Map<string, RuleMark>(), executions: 0, passes: 0, failures: 0, ignored: 0, lastSeen: 0 };

const presentAffectedTest = (
  { about, marks, lastSeen, ...counts }: TestSums,
  rulesById: ReadonlyMap<string, Rule>,
): AffectedTestRow => ({
  signature: about.signature,
  spec: about.specFile,
  title: [...about.title],
  actions: [...marks.values()].map((mark) => ({ ...mark, name: rulesById.get(mark.actionId)?.name ?? null })),
  ...counts,
  lastSeen: lastSeen > 0 ? formatIsoTime(lastSeen) : null,
});
