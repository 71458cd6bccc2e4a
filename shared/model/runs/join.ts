/**
 * A create-run request with which a machine joined a group of a run. Each request has its own row, so that many
 * machines can start at the same time. Access patterns: by request; all requests of a run.
 */
import { type Entity, wholePartition } from '#shared/engine/table/entity.ts';
import { composed } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';
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
  /** A digest of the CI variables of the first process with this machine id. */
  readonly process?: string;
}

const partition = ({ organizationId, runId }: RunKey): string => composed('JOIN', organizationId, runId);

export const joins: Entity<JoinKey, RunJoin> & GoesWithRun = {
  type: 'join',
  guarded: false,
  removal: { ends: 'results', ofRun: (run) => [joinsOfRun(run)] },
  patterns: [
    { question: 'Whether a request joined a group', key: 'pk = JOIN#org#run, sk = group#request' },
    { question: 'The first process with a machine id', key: 'pk = JOIN#org#run, sk = #machine' },
    { question: 'All requests that joined a run', key: 'pk = JOIN#org#run' },
  ],
  key: (join) => ({ pk: partition(join), sk: composed(join.groupId, join.request) }),
  store: attributesOf,
  load: stored,
};

export const joinsOfRun = (of: RunKey) => wholePartition(partition(of));
