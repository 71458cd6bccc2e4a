/** A request with which a machine joined a group, in a row of its own, so that many machines can start together. */
import { type Entity, getPartitionSpan } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { RunKey } from '#shared/model/keys.ts';
import type { Expiring } from './expiry.ts';
import type { GoesWithRun } from './removal.ts';

interface JoinKey extends RunKey {
  readonly groupId: string;
  /** The key of the request. */
  readonly request: string;
}

export interface RunJoin extends JoinKey, Expiring {
  /** When the machine joined the group, in epoch milliseconds. */
  readonly at: number;
  /** The CI job of the machine, and the machine, if the client named the job. */
  readonly job?: string;
  readonly machineId?: string | undefined;
  /** Of which leg of the build it has all results, if the client said so. */
  readonly leg?: string;
  /** A digest of the CI variables of the first process with this machine id. */
  readonly process?: string;
}

const getPartition = ({ organizationId, runId }: RunKey): string => composeKey('JOIN', organizationId, runId);

export const joins: Entity<JoinKey, RunJoin> & GoesWithRun = {
  type: 'join',
  guarded: false,
  removal: { ends: 'results', ofRun: (run) => [getJoinsSpan(run)] },
  patterns: [
    { question: 'Whether a request joined a group' },
    { question: 'The first process with a machine id', sk: '#machine' },
    { question: 'All requests that joined a run', begins: '' },
  ],
  key: (join) => ({ pk: getPartition(join), sk: composeKey(join.groupId, join.request) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getJoinsSpan = (run: RunKey) => getPartitionSpan(getPartition(run));
