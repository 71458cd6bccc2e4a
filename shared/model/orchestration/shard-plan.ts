/** Which shard of a CI build runs which tests. The first shard that asks stores the plan, and all others obey it. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';

interface ShardPlanKey extends ProjectKey {
  /** What all tries of the build have in common, because a try may repeat only the jobs of failed shards. */
  readonly build: string;
  /** Tells the suites of a build apart. */
  readonly lane: string;
}

export interface ShardPlan extends ShardPlanKey {
  /** A hash of the tests. */
  readonly suite: string;
  readonly total: number;
  /** The shard of each unit, counted from 1: units are separated by `,` and files by `;`. */
  readonly shards: string;
  /** The expected duration of each shard, in milliseconds. */
  readonly planned: readonly number[];
  /** The same for the split of the runner, which counts tests. Absent in plans of earlier versions. */
  readonly builtIn?: readonly number[];
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

const getPartition = ({ organizationId, projectId, build }: Omit<ShardPlanKey, 'lane'>): string =>
  composeKey('SHARDS', organizationId, projectId, build);

export const shardPlans: Entity<ShardPlanKey, ShardPlan> = {
  type: 'shard plan',
  guarded: false,
  removal: 'apart',
  patterns: [
    { question: 'The shards of a suite of a build' },
    { question: 'The shards of all suites of a build', begins: 'PLAN#' },
  ],
  key: (plan) => ({ pk: getPartition(plan), sk: composeKey('PLAN', plan.lane) }),
  store: toAttributes,
  load: loadAttributes,
};

/** The plans of all suites of a build. */
export const getShardPlansSpan = (key: Omit<ShardPlanKey, 'lane'>) =>
  getPrefixSpan(getPartition(key), composePrefix('PLAN'));
