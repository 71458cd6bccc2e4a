/** Tells whether failed tests have passed since: reads the next execution of each on the same branch, in its group. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { getHistorySpan, history } from '#shared/model/results/history-row.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { WithClock } from '#shared/services.ts';
import type { ComparedTest } from '../comparisons/comparison-wire.ts';
import { RESULT_LIMITS } from '../limits.ts';
import type { ShownExecution } from './latest-executions.ts';
import { presentTestResult } from './test-result.ts';

type TestInGroup = Pick<ComparedTest, 'signature' | 'groupId'>;

/** `undefined` if there is none among the executions that were read. */
export type NextOf = (test: TestInGroup) => ShownExecution | undefined;

/** Takes one concurrent query per signature. Reads only a few executions, because the next run usually follows soon. */
export async function readNextExecutions(
  { table, now }: WithClock,
  { organizationId, runId, createdAt, endedAt, commit }: Run,
  tests: readonly TestInGroup[],
): Promise<NextOf> {
  const signatures = [...new Set(tests.map(({ signature }) => signature))];
  const executionsBySignature = new Map(
    await mapConcurrently(signatures, async (signature) => {
      const span = getHistorySpan({ organizationId, signature, list: 'all' }, createdAt, now() + 1);
      const { rows } = await table.query(history, span, { limit: RESULT_LIMITS.nextExecutions });
      const executions = rows.map(({ item }) => presentTestResult(item, '', undefined));
      return [signature, executions] as const;
    }),
  );
  return ({ signature, groupId }) =>
    executionsBySignature
      .get(signature)
      ?.find(
        (one) =>
          one.runId !== runId &&
          one.groupId === groupId &&
          one.commit.branch === commit.branch &&
          Date.parse(one.createdAt) > (endedAt ?? createdAt),
      );
}
