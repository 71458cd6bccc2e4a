/** The latest executions of a test, without their errors. */
import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { getHistorySpan, type HistoryRow, history } from '#shared/model/results/history-row.ts';
import type { WithClock } from '#shared/services.ts';
import { RESULT_LIMITS } from '../limits.ts';
import { presentTestResult } from './test-result.ts';
import type { TestResult } from './test-result-wire.ts';
import { chooseList } from './test-results-filter.ts';

export type ShownExecution = Omit<z.infer<typeof TestResult>, 'cursor' | 'displayError'>;

export interface LatestExecutions {
  /** Newest first. */
  readonly executions: readonly ShownExecution[];
  /** Whether the history has older executions. */
  readonly hasMore: boolean;
  /** Executions after `until`, oldest first, if they were to be read. There may be further ones. */
  readonly later?: readonly ShownExecution[];
}

interface LatestExecutionsQuery {
  readonly organizationId: string;
  readonly signature: string;
  /** The time up to which executions are read, in epoch milliseconds. Default: the current time. */
  readonly until?: number | undefined;
  readonly limit?: number;
}

/** Reads the latest executions of a test, in one query. */
export async function readLatestExecutions(
  { table, now }: WithClock,
  { until = now(), limit = RESULT_LIMITS.latestExecutions, ...test }: LatestExecutionsQuery,
): Promise<LatestExecutions> {
  const span = getHistorySpan({ ...test, list: chooseList({}) }, 0, until + 1);
  const { rows } = await table.query(history, span, { limit: limit + 1, newestFirst: true });
  // The executions have no cursors and no errors. Errors would have to be read from the test records.
  const executions = rows.slice(0, limit).map(({ item }) => presentTestResult(item, '', undefined));
  return { executions, hasMore: rows.length > limit };
}

/**
 * Also reads the first executions after `until`. Usually there are few of them, and one query reads all. For an older
 * execution of a test that runs often, it takes one more round trip.
 */
async function readExecutionsAround(
  services: WithClock,
  { until = services.now(), limit = RESULT_LIMITS.latestExecutions, ...test }: LatestExecutionsQuery,
): Promise<LatestExecutions> {
  const { table, now } = services;
  const historyKey = { ...test, list: chooseList({}) };
  const presentRow = ({ item }: { readonly item: HistoryRow }) => presentTestResult(item, '', undefined);
  const readRows = limit + 1 + RESULT_LIMITS.nextExecutions;
  const newestPage = await table.query(history, getHistorySpan(historyKey, 0, now() + 1), {
    limit: readRows,
    newestFirst: true,
  });
  const laterRows = newestPage.rows.filter(({ item }) => item.recordedAt > until);
  const earlierRows = newestPage.rows.slice(laterRows.length);
  if (newestPage.rows.length < readRows || earlierRows.length > limit)
    return {
      executions: earlierRows.slice(0, limit).map(presentRow),
      hasMore: earlierRows.length > limit,
      later: laterRows.toReversed().map(presentRow),
    };
  const span = getHistorySpan(historyKey, until + 1, now() + 1);
  const [latestExecutions, laterPage] = await Promise.all([
    readLatestExecutions(services, { ...test, until, limit }),
    table.query(history, span, { limit: RESULT_LIMITS.nextExecutions }),
  ]);
  return { ...latestExecutions, later: laterPage.rows.map(presentRow) };
}

/** Returns the latest executions of a test, or `undefined` for a test whose executions were not read. */
export type ExecutionsOf = (test: Pick<ShownExecution, 'signature'>) => LatestExecutions | undefined;

/**
 * Takes one query per signature, concurrently. A test that is listed several times is read up to its latest `until`.
 */
export async function readExecutionsOfTests(
  services: WithClock,
  organizationId: string,
  tests: readonly (Pick<LatestExecutionsQuery, 'signature' | 'until'> & {
    /** Whether to read later executions, too. */
    readonly withLater?: boolean;
  })[],
): Promise<ExecutionsOf> {
  const bySignature = Map.groupBy(tests, ({ signature }) => signature);
  const executionsBySignature = new Map(
    await mapConcurrently([...bySignature], async ([signature, testQueries]) => {
      const until = Math.max(...testQueries.map((one) => one.until ?? Number.POSITIVE_INFINITY));
      const query = { organizationId, signature, until: Number.isFinite(until) ? until : undefined };
      const read = testQueries.some((one) => one.withLater) ? readExecutionsAround : readLatestExecutions;
      return [signature, await read(services, query)] as const;
    }),
  );
  return ({ signature }) => executionsBySignature.get(signature);
}
