/**
 * Pointers to the runs of pull requests. A pointer is deleted with its run, so a pull request lists only existing runs.
 * Access patterns: all pointers of a pull request, newest first; all pointers of a project, newest first.
 */
import { beginningWith, type Entity, type Span } from '#shared/engine/table/entity.ts';
import { composed, instantKey, prefix } from '#shared/engine/table/keys.ts';
import { pick, stored } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import type { Expiring } from './expiry.ts';
import type { GoesWithRun } from './removal.ts';
import type { Run } from './run.ts';

type RunKey = Pick<Run, 'organizationId' | 'projectId' | 'runId' | 'createdAt'>;

interface PullRequestRun extends RunKey {
  readonly pullRequestId: string;
}

type PullRequest = ProjectKey & Pick<PullRequestRun, 'pullRequestId'>;

const sortKey = ({ createdAt, runId }: RunKey) => composed('RUN', instantKey(createdAt), runId);
const partition = (of: PullRequest) => composed('PULL', of.organizationId, of.projectId, of.pullRequestId);
const listPartition = (of: ProjectKey) => composed('PULLS', of.organizationId, of.projectId);

const store = pick<PullRequestRun & Expiring>(
  'organizationId',
  'projectId',
  'runId',
  'createdAt',
  'pullRequestId',
  'expiresAt',
);

export const runsOfPullRequest: Entity<PullRequestRun, PullRequestRun & Expiring> & GoesWithRun = {
  type: 'run, of a pull request',
  guarded: false,
  removal: {
    ends: 'results',
    pointers: ({ pullRequest, ...run }) =>
      pullRequest ? [runsOfPullRequest.key({ ...run, pullRequestId: pullRequest.id })] : [],
  },
  patterns: [
    { question: 'Runs of a pull request, newest first', key: 'pk = PULL#org#project#id, sk = RUN#createdAt#run' },
  ],
  key: (run) => ({ pk: partition(run), sk: sortKey(run) }),
  store,
  load: stored,
};

export const pullRequestRuns: Entity<RunKey, PullRequestRun & Expiring> & GoesWithRun = {
  type: 'run, with a pull request',
  guarded: false,
  removal: {
    ends: 'results',
    pointers: ({ pullRequest, ...run }) => (pullRequest ? [pullRequestRuns.key(run)] : []),
  },
  patterns: [
    {
      question: 'Runs of the pull requests of a project, newest first',
      key: 'pk = PULLS#org#project, sk = RUN#createdAt#run',
    },
  ],
  key: (run) => ({ pk: listPartition(run), sk: sortKey(run) }),
  store,
  load: stored,
};

export const pullRequestSpan = (of: PullRequest): Span => beginningWith(partition(of), prefix('RUN'));
export const pullRequestsSpan = (of: ProjectKey): Span => beginningWith(listPartition(of), prefix('RUN'));
