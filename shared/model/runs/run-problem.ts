/** What is wrong with a run other than its tests, by source: an import, an upload or a batch of a machine. */
import { type Entity, getPartitionSpan } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { RunKey } from '#shared/model/keys.ts';
import type { Expiring } from './expiry.ts';
import type { GoesWithRun } from './removal.ts';

/**
 * `errorOutsideTests`: an error that belongs to no test. `truncatedFile` and `unreadableFile`: a report file that is cut
 * or cannot be read. `leftOutTest`: the result of a test that could not be recorded. `failuresWithoutTest`: a report
 * counts more failures than its tests have. It is a warning, because some writers count retries.
 */
type StoredKind = 'errorOutsideTests' | 'truncatedFile' | 'unreadableFile' | 'leftOutTest' | 'failuresWithoutTest';

export interface StoredProblem {
  readonly kind: StoredKind;
  readonly message: string;
  /** The name of the report file. `null` if the problem belongs to no file. */
  readonly file: string | null;
}

interface ProblemKey extends RunKey {
  /** The import, or the upload or batch. A repeated request has the same source. */
  readonly source: string;
}

export interface RunProblems extends ProblemKey, Expiring {
  readonly problems: readonly StoredProblem[];
}

const getPartition = ({ organizationId, runId }: RunKey): string => composeKey('PROBLEM', organizationId, runId);

export const runProblems: Entity<ProblemKey, RunProblems> & GoesWithRun = {
  type: 'run problems',
  guarded: false,
  removal: { ends: 'results', ofRun: (run) => [getProblemsSpan(run)] },
  patterns: [{ question: 'What is wrong with a run other than its tests' }],
  key: (problems) => ({ pk: getPartition(problems), sk: composeKey('SOURCE', problems.source) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getProblemsSpan = (run: RunKey) => getPartitionSpan(getPartition(run));
