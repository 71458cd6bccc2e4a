/**
 * Finds out whether the failed tests of a run have passed since that run: reads the next execution of each test on the
 * same branch, in the same group.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { getHistorySpan, history } from '#shared/model/tests/history-row.ts';
import type { WithClock } from '#shared/services.ts';
import type { ComparedTest } from './comparison-wire.ts';
import type { ShownExecution } from './latest-executions.ts';
import { RESULT_LIMITS } from './limits.ts';
import { presentTestResult } from './test-result.ts';

type Of = Pick<ComparedTest, 'signature' | 'groupId'>;

/**
 * Returns the next execution of a test after the run, or `undefined` if there is none among the executions that were
 * read.
 */
export type NextOf = (test: Of) => ShownExecution | undefined;

/**
 * Reads the next executions of these tests. Takes one query per signature, and the queries run concurrently. Reads only
 * a few executions, because the next run on a branch usually follows soon.
 */
export async function nextExecutions(
  { table, now }: WithClock,
  { organizationId, runId, createdAt, endedAt, commit }: Run,
  tests: readonly Of[],
): Promise<NextOf> {
  const signatures = [...new Set(tests.map(({ signature }) => signature))];
  const found = new Map(
    await mapConcurrently(signatures, async (signature) => {
      const span = getHistorySpan({ organizationId, signature, list: 'all' }, createdAt, now() + 1);
      const { rows } = await table.query(history, span, { limit: RESULT_LIMITS.nextExecutions });
      const executions = rows.map(({ item }) => presentTestResult(item, '', undefined));
      return [signature, executions] as const;
    }),
  );
  return ({ signature, groupId }) =>
    found
      .get(signature)
      ?.find(
        (one) =>
          one.runId !== runId &&
          one.groupId === groupId &&
          one.commit.branch === commit.branch &&
          Date.parse(one.createdAt) > (endedAt ?? createdAt),
      );
}
