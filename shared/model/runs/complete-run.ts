/**
 * The index of complete runs. Access pattern: the complete runs of a branch with the same groups, newest first. One
 * read finds the earlier run with which a run is compared.
 */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, digest, instantKey, prefix } from '#shared/engine/table/keys.ts';
import { pick, stored } from '#shared/engine/table/stored.ts';
import type { Expiring } from './expiry.ts';
import type { GoesWithRun } from './removal.ts';
import type { Listing, Run } from './run.ts';

type List = Pick<Run, 'organizationId' | 'projectId'> & Listing;
type Listed = List & Pick<Run, 'runId' | 'createdAt'>;

const GROUPS_CHARACTERS = 16;

/** A digest of the group names. The order of the names does not matter. */
export const groupsDigest = (groupIds: readonly string[]): string =>
  digest(GROUPS_CHARACTERS, ...[...new Set(groupIds)].sort());

const partition = ({ organizationId, projectId, branch, groups }: List) =>
  composed('COMPLETE', organizationId, projectId, branch, groups);

/** An entry in the list of complete runs. The run itself is stored once, under its id. */
export const completeRuns: Entity<Listed, Listed & Expiring> & GoesWithRun = {
  type: 'run, complete',
  guarded: false,
  removal: {
    ends: 'results',
    pointers: ({ listed, ...run }) => (listed ? [completeRuns.key({ ...run, ...listed })] : []),
  },
  patterns: [
    {
      question: 'Complete runs of a branch with the same groups, newest first',
      key: 'pk = COMPLETE#org#project#branch#groups, sk = RUN#createdAt#run',
    },
  ],
  key: (run) => ({ pk: partition(run), sk: composed('RUN', instantKey(run.createdAt), run.runId) }),
  store: pick('organizationId', 'projectId', 'branch', 'groups', 'runId', 'createdAt', 'expiresAt'),
  load: stored,
};

/** The complete runs that were created before `createdAt`, in epoch milliseconds. */
export const completedBefore = (of: List, createdAt: number) => ({
  ...beginningWith(partition(of), prefix('RUN')),
  to: composed('RUN', instantKey(createdAt)),
});
