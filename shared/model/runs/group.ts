/** A group of a run: a Playwright project, or a group that a batch upload or an import names. */
import type { Entity } from '#shared/engine/table/entity.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { RunKey } from '#shared/model/keys.ts';
import type { Expiring } from './expiry.ts';
import type { GoesWithRun } from './removal.ts';
import { type GroupSummary, getMemberKey, WITH_RUN } from './run.ts';

export interface Group
  extends RunKey,
    Expiring,
    Pick<GroupSummary, 'groupId' | 'platform' | 'tags' | 'environment' | 'coverageEnabled'> {}

export const groups: Entity<Pick<Group, 'organizationId' | 'runId' | 'groupId'>, Group> & GoesWithRun = {
  type: 'group',
  guarded: false,
  removal: WITH_RUN,
  patterns: [{ question: 'A group of a run' }, { question: 'All groups of a run', begins: 'GROUP#' }],
  key: (group) => getMemberKey(group, 'GROUP', group.groupId),
  store: toAttributes,
  load: loadAttributes,
};
