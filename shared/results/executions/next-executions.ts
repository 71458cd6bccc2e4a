/** Tells whether failed tests have passed since: finds the next execution of each on the same branch, in its group. */
import type { Run } from '#shared/model/runs/run.ts';
import type { ComparedTest } from '../comparisons/comparison-wire.ts';
import type { ExecutionsOf, ShownExecution } from './latest-executions.ts';

/** `undefined` if there is none among the executions that were read. */
export type NextOf = (test: Pick<ComparedTest, 'signature' | 'groupId'>) => ShownExecution | undefined;

/** The executions must have been read with later ones. */
export const makeNextFinder =
  ({ runId, createdAt, endedAt, commit }: Run, executionsOf: ExecutionsOf): NextOf =>
  ({ signature, groupId }) =>
    executionsOf({ signature })?.later?.find(
      (one) =>
        one.runId !== runId &&
        one.groupId === groupId &&
        one.commit.branch === commit.branch &&
        Date.parse(one.createdAt) > (endedAt ?? createdAt),
    );
