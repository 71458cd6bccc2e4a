/** Reads the flaky tests of a period with what they cost, for the page of flaky tests. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { findProject } from '#shared/find-project.ts';
import { INSTANCE_START } from '#shared/model/ids.ts';
import { getHistorySpan, type HistoryRow, history } from '#shared/model/results/history-row.ts';
import type { WithClock } from '#shared/services.ts';
import { hasMatchingTags, isMatchingEntry } from '../filter.ts';
import { findBucketStart, listBucketStarts } from '../metrics/buckets.ts';
import { type OffsetPage, paginateByOffset } from '../metrics/offset-page.ts';
import { type RangeQuery, toAnalyticsFilter, toPeriod } from '../metrics/range-wire.ts';
import type { AnalyticsFilter, AnalyticsScope, Period } from '../read-model.ts';
import type { FlakyTestsQuery } from './flaky-wire.ts';
import { FLAKY_LIMITS } from './limits.ts';
import { sortByEvidence } from './list-flaky-tests.ts';
import { type FlakyTest, type FlakyTests, readFlakyTests } from './read-flaky-tests.ts';

export const FLAKY_ORDERS = ['evidence', 'redRuns', 'lostTime'] as const;
export type FlakyOrder = (typeof FLAKY_ORDERS)[number];

interface FlakyListQuery extends RangeQuery, Pick<FlakyTestsQuery, 'state' | 'page' | 'limit'> {
  readonly order: FlakyOrder;
}

/** What a flaky test costs. Of a test with very many bad executions, only the newest ones count. */
interface FlakyCosts {
  /** Runs that failed with this test and no other one. */
  readonly redRuns: number;
  /** The time of all attempts but the last, in milliseconds. */
  readonly lostTime: number;
  /** Flaky and failed executions, by the start of each day of the period. */
  readonly days: readonly { readonly at: number; readonly value: number }[];
  /** Epoch milliseconds. `null` if the last event is too far back to be looked up. */
  readonly lastEventAt: number | null;
  readonly isWhole: boolean;
}

export type ListedFlakyTest = FlakyTest & FlakyCosts;

export interface FlakyList extends OffsetPage<ListedFlakyTest> {
  readonly isWhole: boolean;
}

export async function readFlakyList(
  services: WithClock,
  { query, ...scope }: AnalyticsScope & { readonly query: FlakyListQuery },
): Promise<FlakyList> {
  const { defaultBranchName: defaultBranch } = await findProject(services, scope);
  const selection = { period: toPeriod(query), filter: toAnalyticsFilter(query) };
  const { tests, failuresByRun, isWhole } = await readFlakyTests(services, { ...scope, defaultBranch, selection });
  const byEvidence = sortByEvidence(tests.filter(({ state }) => query.state.includes(state)));
  const addCosts = (some: readonly FlakyTest[]): Promise<ListedFlakyTest[]> =>
    mapConcurrently(some, async (test) => ({
      ...test,
      ...(await readCosts(services, scope, test, { ...selection, failuresByRun })),
    }));
  const { order } = query;
  if (order === 'evidence') {
    const { list, ...page } = paginateByOffset(byEvidence, query);
    return { list: await addCosts(list), ...page, isWhole };
  }
  const costs = await addCosts(byEvidence.slice(0, FLAKY_LIMITS.sortedByCosts));
  return {
    ...paginateByOffset(
      costs.sort((one, other) => other[order] - one[order]),
      query,
    ),
    isWhole,
  };
}

interface CostsRequest extends Pick<FlakyTests, 'failuresByRun'> {
  readonly period: Period;
  readonly filter: AnalyticsFilter;
}

async function readCosts(
  { table }: WithTable,
  { organizationId }: AnalyticsScope,
  { signature, lastFlipAt }: FlakyTest,
  { period, filter, failuresByRun }: CostsRequest,
): Promise<FlakyCosts> {
  const span = getHistorySpan({ organizationId, signature, list: 'notable' }, period.from, period.to);
  const { rows } = await table.query(history, span, { limit: FLAKY_LIMITS.countedEvents, newestFirst: true });
  const executions = rows
    .map(({ item }) => item)
    .filter((row) => isMatchingEntry(filter, row) && hasMatchingTags(filter, row.tags))
    .filter(({ flaky, outcome }) => flaky || outcome === 'failed');
  const byDay = Map.groupBy(executions, ({ recordedAt }) => findBucketStart(recordedAt, '1d'));
  const retriedAt = executions.find(({ flaky }) => flaky)?.recordedAt ?? 0;
  const lastEventAt = Math.max(lastFlipAt ?? 0, retriedAt);
  return {
    redRuns: countRedRuns(executions, failuresByRun),
    lostTime: executions.reduce((sum, { attempts }) => sum + sumRepeatedAttempts(attempts), 0),
    days: listBucketStarts(period, '1d').map((at) => ({ at, value: byDay.get(at)?.length ?? 0 })),
    lastEventAt: lastEventAt > 0 ? lastEventAt : null,
    isWhole: rows.length < FLAKY_LIMITS.countedEvents,
  };
}

/** A test may fail in several groups of a run. */
function countRedRuns(executions: readonly HistoryRow[], failuresByRun: FlakyTests['failuresByRun']): number {
  const failures = executions.filter(({ outcome }) => outcome === 'failed');
  return [...Map.groupBy(failures, ({ recordId }) => recordId.slice(0, INSTANCE_START))].filter(
    ([runId, ofTest]) => ofTest.length >= (failuresByRun.get(runId) ?? Number.POSITIVE_INFINITY),
  ).length;
}

const sumRepeatedAttempts = (attempts: HistoryRow['attempts']): number =>
  attempts.slice(0, -1).reduce((sum, [, , milliseconds]) => sum + Math.max(0, milliseconds), 0);
