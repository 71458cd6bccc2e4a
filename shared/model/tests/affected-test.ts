/** An execution of a test that a rule matched. Access pattern: executions that a rule matched, newest first. */
import type { Entity, Span } from '#shared/engine/table/entity.ts';
import { composed, instantKey } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import type { RecordedTestOutcome } from './outcomes.ts';
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

const partition = (of: RuleKey): string => composed('AFFECTED', of.organizationId, of.projectId, of.actionId);

export const affectedTests: Entity<RuleKey & Pick<AffectedTest, 'recordedAt' | 'recordId'>, AffectedTest> &
  GoesWithRun = {
  type: 'affected test',
  guarded: false,
  removal: {
    ends: 'results',
    ofTest: ({ actionIds, ...test }) => actionIds.map((actionId) => affectedTests.key({ ...test, actionId })),
  },
  patterns: [
    {
      question: 'Executions that a rule matched, newest first',
      key: 'pk = AFFECTED#org#project#rule, sk = recordedAt + record',
    },
  ],
  key: (of) => ({ pk: partition(of), sk: instantKey(of.recordedAt) + of.recordId }),
  store: attributesOf,
  load: stored,
};

/** The executions that were recorded at or after `from` and before `to`, in epoch milliseconds. */
export const affectedSpan = (of: RuleKey, from: number, to: number): Span => ({
  pk: partition(of),
  from: instantKey(from),
  to: instantKey(to),
});
