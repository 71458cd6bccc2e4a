/** An execution of a test that a rule matched. */
import type { Entity, Span } from '#shared/engine/table/entity.ts';
import { composeKey, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { RecordedTestOutcome } from '#shared/model/results/outcomes.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import type { RuleKey } from './rule.ts';
import type { RuleOperation } from './rule-annotations.ts';

export interface AffectedTest extends RuleKey, Expiring {
  /** When the server recorded the execution, in epoch milliseconds. */
  readonly recordedAt: number;
  readonly recordId: string;
  readonly types: readonly RuleOperation[];
  readonly signature: string;
  readonly spec: string;
  readonly title: readonly string[];
  readonly testId: string;
  readonly groupId: string;
  readonly branch: string | null;
  readonly outcome: RecordedTestOutcome;
  readonly flaky: boolean;
}

const getPartition = (key: RuleKey): string => composeKey('AFFECTED', key.organizationId, key.projectId, key.actionId);

export const affectedTests: Entity<RuleKey & Pick<AffectedTest, 'recordedAt' | 'recordId'>, AffectedTest> &
  GoesWithRun = {
  type: 'affected test',
  guarded: false,
  removal: {
    ends: 'results',
    ofTest: ({ actionIds, ...test }) => actionIds.map((actionId) => affectedTests.key({ ...test, actionId })),
  },
  patterns: [{ question: 'Executions that a rule matched, newest first', of: { actionId: 'rule' } }],
  key: (row) => ({ pk: getPartition(row), sk: encodeInstant(row.recordedAt) + row.recordId }),
  store: toAttributes,
  load: loadAttributes,
};

/** Recorded at or after `from` and before `to`, in epoch milliseconds. */
export const getAffectedTestsSpan = (key: RuleKey, from: number, to: number): Span => ({
  pk: getPartition(key),
  from: encodeInstant(from),
  to: encodeInstant(to),
});
