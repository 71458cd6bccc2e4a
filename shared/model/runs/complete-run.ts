/** The complete runs of a branch with the same groups. One read finds the run with which a run is compared. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, computeDigest, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick } from '#shared/engine/table/stored.ts';
import type { Expiring } from './expiry.ts';
import type { GoesWithRun } from './removal.ts';
import type { Listing, Run } from './run.ts';

type CompleteRunList = Pick<Run, 'organizationId' | 'projectId'> & Listing;
type CompleteRunEntry = CompleteRunList & Pick<Run, 'runId' | 'createdAt'>;

const GROUPS_CHARACTERS = 16;

/** The order of the names does not matter. */
export const hashGroups = (groupIds: readonly string[]): string =>
  computeDigest(GROUPS_CHARACTERS, ...[...new Set(groupIds)].sort());

const getPartition = ({ organizationId, projectId, branch, groups }: CompleteRunList) =>
  composeKey('COMPLETE', organizationId, projectId, branch, groups);

/** The run itself is stored once, under its id. */
export const completeRuns: Entity<CompleteRunEntry, CompleteRunEntry & Expiring> & GoesWithRun = {
  type: 'run, complete',
  guarded: false,
  removal: {
    ends: 'results',
    pointers: ({ listed, ...run }) => (listed ? [completeRuns.key({ ...run, ...listed })] : []),
  },
  patterns: [{ question: 'Complete runs of a branch with the same groups, newest first' }],
  key: (run) => ({ pk: getPartition(run), sk: composeKey('RUN', encodeInstant(run.createdAt), run.runId) }),
  store: pick('organizationId', 'projectId', 'branch', 'groups', 'runId', 'createdAt', 'expiresAt'),
  load: loadAttributes,
};

/** Created before `createdAt`, in epoch milliseconds. */
export const getEarlierCompleteRunsSpan = (key: CompleteRunList, createdAt: number) => ({
  ...getPrefixSpan(getPartition(key), composePrefix('RUN')),
  to: composeKey('RUN', encodeInstant(createdAt)),
});
