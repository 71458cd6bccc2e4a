/**
 * What a container keeps of the rows above a test. Most of it never changes after it is written. Tags and claims are only
 * added while a spec file is not reset, so a reader can tell whether those that it knows are enough.
 */
import { Recent } from '#shared/engine/recent.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Group } from '#shared/model/runs/group.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { Instance } from './instance.ts';

export type RunFacts = Pick<Run, 'projectId' | 'tags' | 'framework' | 'commit' | 'expiry'>;
export type GroupFacts = Pick<Group, 'tags' | 'environment'>;
export type InstanceFacts = Pick<
  Instance,
  'organizationId' | 'instanceId' | 'groupId' | 'spec' | 'claims' | 'expected' | 'known' | 'tagsOfRun'
>;

/** From the first time up to, but excluding, the second one, in epoch milliseconds. */
export type TimeRange = readonly [number, number];

export interface RecentFacts {
  readonly runs: Recent<RunFacts>;
  readonly groups: Recent<GroupFacts>;
  readonly instances: Recent<InstanceFacts>;
  /** The times of executions that terms are known to tell, by the key of the term. */
  readonly terms: Recent<TimeRange>;
}

const { milliseconds, ...entries } = MODEL_LIMITS.recent;
const { recent, stepMilliseconds } = MODEL_LIMITS.terms;

/** Each container has its own. */
export const makeRecentFacts = (): RecentFacts => ({
  runs: new Recent({ entries: entries.runs, milliseconds }),
  groups: new Recent({ entries: entries.groups, milliseconds }),
  instances: new Recent({ entries: entries.instances, milliseconds }),
  terms: new Recent({ entries: recent, milliseconds: stepMilliseconds }),
});
