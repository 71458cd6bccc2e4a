/** A test that matched a quarantine rule and did not pass in a run. Access pattern: all quarantined tests of a run. */
import { type Entity, getPartitionSpan, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { RunKey } from '#shared/model/keys.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';

export interface QuarantinedTest extends RunKey, Expiring {
  readonly instanceId: string;
  readonly testKey: string;
  readonly testId: string;
  readonly groupId: string;
  readonly spec: string;
  readonly title: readonly string[];
}

const getPartition = ({ organizationId, runId }: RunKey): string => composeKey('QUARANTINED', organizationId, runId);

export const quarantinedTests: Entity<RunKey & Pick<QuarantinedTest, 'instanceId' | 'testKey'>, QuarantinedTest> &
  GoesWithRun = {
  type: 'quarantined test',
  guarded: false,
  removal: {
    ends: 'results',
    ofRun: (run) => [getQuarantinedTestsSpan(run)],
    ofInstance: (instance) => [getPrefixSpan(getPartition(instance), composePrefix('TEST', instance.instanceId))],
  },
  patterns: [{ question: 'Quarantined tests that did not pass in a run' }],
  key: (row) => ({ pk: getPartition(row), sk: composeKey('TEST', row.instanceId, row.testKey) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getQuarantinedTestsSpan = (run: RunKey) => getPartitionSpan(getPartition(run));
