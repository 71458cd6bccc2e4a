/** The latest executions of a test, without their errors. */
import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { getHistorySpan, history } from '#shared/model/results/history-row.ts';
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

/** Returns the latest executions of a test, or `undefined` for a test whose executions were not read. */
export type ExecutionsOf = (test: Pick<ShownExecution, 'signature'>) => LatestExecutions | undefined;

/**
 * Takes one query per signature, concurrently. A test that is listed several times is read up to its latest `until`.
 */
export async function readExecutionsOfTests(
  services: WithClock,
  organizationId: string,
  tests: readonly Pick<LatestExecutionsQuery, 'signature' | 'until'>[],
): Promise<ExecutionsOf> {
  const bySignature = Map.groupBy(tests, ({ signature }) => signature);
  const executionsBySignature = new Map(
    await mapConcurrently([...bySignature], async ([signature, testQueries]) => {
      const until = Math.max(...testQueries.map((one) => one.until ?? Number.POSITIVE_INFINITY));
      const query = { organizationId, signature, until: Number.isFinite(until) ? until : undefined };
      return [signature, await readLatestExecutions(services, query)] as const;
    }),
  );
  return ({ signature }) => executionsBySignature.get(signature);
}
