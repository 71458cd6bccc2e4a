/** Measures the cost of analytics over many runs: queries over 90 days, and the writes per recorded test. */

import { listFlakyTests } from '#shared/analytics/flaky/list-flaky-tests.ts';
import { FLAKY_STATES } from '#shared/analytics/flaky/state.ts';
import { type AnalyticsFilter, NO_FILTER } from '#shared/analytics/read-model.ts';
import { readSeries } from '#shared/analytics/read-series.ts';
import { sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { markEnded } from '#shared/model/analytics/pending.ts';
import { getRootsSpan, spanRoots } from '#shared/model/analytics/root.ts';
import { query } from '#test/harness/client.ts';
import { runItem } from '#test/harness/history-runs.ts';
import { inRounds } from '#test/harness/interrupted-table.ts';
import { type Dataset, type Size, type Written, writeRuns } from './analytics-data.ts';
import { type BenchService, type BenchSetup, withService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { exponentOf } from './medians.ts';
import { note } from './progress.ts';
import { tripsOf } from './reading.ts';
import { upload } from './recording.ts';
import { type SuiteSpec, suiteOf } from './suite.ts';

const DAY = 86_400_000;
const HOUR = DAY / 24;
const DAYS = 90;
const WEEK = 7;
/** The time at which the data begins, at midnight. */
const FROM = Date.parse('2026-06-01T00:00:00.000Z');

const LARGE: Size = { tests: 10_000, runsPerDay: 30 };
const FEW_TESTS: Size = { tests: 500, runsPerDay: 20 };
const FEW_RUNS: Size = { tests: 10_000, runsPerDay: 3 };
/** `--quick` divides the 10,000 tests of the larger data sets by this number. */
const QUICK = 4;

export async function measureAnalytics(setup: BenchSetup, { isQuick }: { isQuick: boolean }): Promise<Measurement[]> {
  const sized = (size: Size): Size => (isQuick ? { ...size, tests: size.tests / QUICK } : size);
  const few = await withData(setup, FEW_TESTS, async (data, written) => ({
    units: (await ask(data, 'tests')).readUnits,
    written,
  }));
  const fewRuns = await withData(setup, sized(FEW_RUNS), async (data) => (await ask(data, 'tests')).readUnits);
  const small = await compileUnits(setup, 500);
  const large = await compileUnits(setup, 5000);
  return withData(setup, sized(LARGE), async (data, written) => {
    const whole = await ask(data, 'tests');
    const mergesOf = (one: Written) => one.mergeUnits / one.executions;
    return [
      { name: 'analyticsUnits', measured: whole.readUnits, note: tripsOf(whole) },
      { name: 'analyticsRounds', measured: await roundsOf(data, NO_FILTER) },
      { name: 'analyticsFilteredRounds', measured: await roundsOf(data, { ...NO_FILTER, branches: ['main'] }) },
      ...(await filtered(data)),
      { name: 'analyticsSmallUnits', measured: few.units },
      ...growth(data, { whole: whole.readUnits, fewTests: few.units, fewRuns, week: await weekOf(data) }),
      { name: 'analyticsWritten500', measured: small + mergesOf(few.written) },
      { name: 'analyticsWritten5000', measured: large + mergesOf(written) },
      { name: 'factsBytes', measured: written.factsBytes / written.executions },
      { name: 'dayBytes', measured: await dayBytes(data) },
    ];
  });
}

async function withData<Result>(
  setup: BenchSetup,
  size: Size,
  use: (data: Dataset, written: Written) => Promise<Result>,
): Promise<Result> {
  return withService(
    setup,
    async (service) => {
      const data = { ...size, service, from: FROM, days: DAYS };
      note(`    ${(size.tests * size.runsPerDay * DAYS).toLocaleString('en')} executions of ${size.tests} tests`);
      return use(data, await writeRuns(data));
    },
    { streams: false },
  );
}

type Parameter = readonly [string, string];
type List = 'tests' | 'errors' | 'insights';

interface Asked {
  readonly filter?: readonly Parameter[];
  readonly from?: number;
  readonly to?: number;
}

/** Returns the cost of one query, which covers all days by default. */
async function ask({ service }: Dataset, list: List, asked: Asked = {}) {
  const { filter = [], from = FROM, to = FROM + DAYS * DAY } = asked;
  const { projectId, api } = service;
  const path = list === 'insights' ? `/projects/${projectId}/insights` : `/${list}/${projectId}`;
  const range: Parameter[] = [
    ['date_start', new Date(from).toISOString()],
    ['date_end', new Date(to).toISOString()],
  ];
  return (await service.counted(() => api.get(path + query(...range, ...filter)))).cost;
}

/** The cost of a search for two words, one of which occurs in many titles. */
async function searched({ service: { projectId, api, counted } }: Dataset) {
  return (await counted(() => api.get(`/projects/${projectId}/search${query(['q', 'checkout 77'])}`))).cost;
}

async function roundsOf({ service }: Dataset, filter: AnalyticsFilter): Promise<number> {
  const { services, counted } = inRounds(service.services);
  await readSeries(services, service, { from: FROM, to: FROM + DAYS * DAY }, filter);
  return counted.rounds;
}

/** Flaky tests are computed for a period that ends at the current time, so the clock moves to the end of the data. */
async function flakyTests({ service }: Dataset): Promise<Measurement> {
  const table = service.services.table.metered();
  const query = { limit: 50, page: 0, format: 'json' as const, state: [...FLAKY_STATES] };
  await listFlakyTests({ table, now: () => FROM + DAYS * DAY }, { ...service, query });
  return { name: 'flakyUnits', measured: table.meter.readUnits, note: `${table.meter.trips} round trips` };
}

async function filtered(data: Dataset): Promise<Measurement[]> {
  const main = await ask(data, 'tests', { filter: [['branches[]', 'main']] });
  const author = await ask(data, 'tests', { filter: [['authors[]', 'Author 7']] });
  const prefix = await ask(data, 'tests', { filter: [['branches[]', 'feat/*']] });
  const group = await ask(data, 'tests', { filter: [['groups[]', 'chromium']] });
  // The start and the end of this range are in the middle of six-hour spans. The runs of each span are merged together.
  const cut = await ask(data, 'tests', { from: FROM + 3 * HOUR + 1, to: FROM + DAYS * DAY - 3 * HOUR - 1 });
  const insights = await ask(data, 'insights');
  const errors = await ask(data, 'errors');
  const search = await searched(data);
  const again = await searched(data);
  return [
    { name: 'analyticsMainUnits', measured: main.readUnits, note: tripsOf(main) },
    { name: 'analyticsCutUnits', measured: cut.readUnits, note: tripsOf(cut) },
    { name: 'analyticsAuthorUnits', measured: author.readUnits, note: tripsOf(author) },
    { name: 'analyticsPrefixUnits', measured: prefix.readUnits, note: tripsOf(prefix) },
    { name: 'analyticsGroupUnits', measured: group.readUnits, note: tripsOf(group) },
    { name: 'insightsUnits', measured: insights.readUnits, note: tripsOf(insights) },
    { name: 'searchUnits', measured: search.readUnits, note: tripsOf(search) },
    { name: 'searchAgainUnits', measured: again.readUnits, note: tripsOf(again) },
    { name: 'errorsUnits', measured: errors.readUnits, note: tripsOf(errors) },
    await flakyTests(data),
  ];
}

const weekOf = async (data: Dataset): Promise<number> =>
  (await ask(data, 'tests', { from: FROM + (DAYS - WEEK) * DAY })).readUnits;

interface UnitsBySize {
  readonly whole: number;
  readonly fewTests: number;
  readonly fewRuns: number;
  readonly week: number;
}

function growth({ tests }: Dataset, { whole, fewTests, fewRuns, week }: UnitsBySize): Measurement[] {
  const between = (small: readonly [number, number], large: readonly [number, number]) =>
    exponentOf([small, large].map(([x, y]) => ({ x, y })));
  return [
    { name: 'analyticsDayGrowth', measured: between([WEEK, week], [DAYS, whole]) },
    { name: 'analyticsRunGrowth', measured: between([FEW_RUNS.runsPerDay, fewRuns], [LARGE.runsPerDay, whole]) },
    { name: 'analyticsTestGrowth', measured: between([FEW_TESTS.tests, fewTests], [tests, whole]) },
  ];
}

/** The write units per test for analytics of an uploaded run, if the names of its tests are already stored. */
function compileUnits(setup: BenchSetup, tests: number): Promise<number> {
  return withService(
    setup,
    async (service) => {
      const suite = suiteOf({ specs: tests / 25, testsPerSpec: 25 });
      // The first run of a project also writes the names of its tests.
      await compileUpload(service, 'first', suite);
      return (await compileUpload(service, 'second', suite)) / tests;
    },
    { streams: false },
  );
}

async function compileUpload(service: BenchService, ciBuildId: string, suite: readonly SuiteSpec[]): Promise<number> {
  const { services } = service;
  await upload(service, ciBuildId, suite);
  const table = services.table.metered();
  const later = Date.now() + 1;
  await sweepAnalytics({ ...services, table, now: () => later }, { remainingMilliseconds: () => 60_000 });
  // The transaction that ends a run also marks it for analytics.
  await table.transact(markEnded(runItem(service, { createdAt: later }), later));
  return table.meter.writeUnits;
}

/** The bytes per test of a merged day, which has the totals of all its runs. */
async function dayBytes({ service, tests }: Dataset): Promise<number> {
  const first = FROM / (6 * HOUR);
  const span = getRootsSpan(service, first, first + DAYS * 4);
  const days = (await service.services.table.queryAll(spanRoots, span)).filter(({ level }) => level === 1);
  if (days.length === 0) throw new Error('No day was merged');
  return days.reduce((sum, { sizes }) => sum + sizes.tests.bytes, 0) / days.length / tests;
}
