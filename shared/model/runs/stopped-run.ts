/**
 * Marks of a run that was cancelled, timed out or was deleted. They are written in the transaction that does so, and a
 * run that is reopened loses them. Each new test reads one of them consistently. The marks are in several partitions,
 * because all tests of a large run would otherwise read the same one.
 */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import { type Delete, type Put, put, remove } from '#shared/engine/table/writes.ts';
import { INSTANCE_START } from '#shared/model/ids.ts';
import type { RunKey } from '#shared/model/keys.ts';
import type { Expiring } from './expiry.ts';

interface StopKey extends RunKey {
  /** From 0. */
  readonly shard: number;
}

export const stoppedRuns: Entity<StopKey, StopKey & Expiring> = {
  type: 'stopped run',
  guarded: false,
  // The marks of a deleted run stay when the rows of the run are removed.
  removal: 'apart',
  patterns: [{ question: 'Whether a run was cancelled, timed out or was deleted' }],
  key: ({ organizationId, runId, shard }) => ({
    pk: composeKey('STOPPED', organizationId, runId, String(shard)),
    sk: 'STOPPED',
  }),
  store: toAttributes,
  load: loadAttributes,
};

const SHARDS = 8;
const HEX = 16;

const listShards = ({ organizationId, runId }: RunKey): StopKey[] =>
  Array.from({ length: SHARDS }, (_, shard) => ({ organizationId, runId, shard }));

/** The mark that tests of this spec file read. */
export const getStopKey = ({ organizationId, runId }: RunKey, instanceId: string): StopKey => ({
  organizationId,
  runId,
  shard: Number.parseInt(instanceId.slice(INSTANCE_START, INSTANCE_START + 2), HEX) % SHARDS,
});

export const markStopped = (run: RunKey, expiresAt: number | undefined): Put[] =>
  listShards(run).map((key) => put(stoppedRuns, { ...key, expiresAt }));

export const unmarkStopped = (run: RunKey): Delete[] => listShards(run).map((key) => remove(stoppedRuns, key));
