/** A test that matched a quarantine rule and did not pass in a run. Access pattern: all quarantined tests of a run. */
import { beginningWith, type Entity, wholePartition } from '#shared/engine/table/entity.ts';
import { composed, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';
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

const partition = ({ organizationId, runId }: RunKey): string => composed('QUARANTINED', organizationId, runId);

export const quarantinedTests: Entity<RunKey & Pick<QuarantinedTest, 'instanceId' | 'testKey'>, QuarantinedTest> &
  GoesWithRun = {
  type: 'quarantined test',
  guarded: false,
  removal: {
    ends: 'results',
    ofRun: (run) => [quarantinedOfRun(run)],
    ofInstance: (of) => [beginningWith(partition(of), prefix('TEST', of.instanceId))],
  },
  patterns: [
    {
      question: 'Quarantined tests that did not pass in a run',
      key: 'pk = QUARANTINED#org#run, sk = TEST#instance#test',
    },
  ],
  key: (of) => ({ pk: partition(of), sk: composed('TEST', of.instanceId, of.testKey) }),
  store: attributesOf,
  load: stored,
};

export const quarantinedOfRun = (of: RunKey) => wholePartition(partition(of));
