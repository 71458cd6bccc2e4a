/** Pointers to the runs of pull requests. They are deleted with their runs, so only existing runs are listed. */
import { type Entity, getPrefixSpan, type Span } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import type { Expiring } from './expiry.ts';
import type { GoesWithRun } from './removal.ts';
import type { Run } from './run.ts';

type RunKey = Pick<Run, 'organizationId' | 'projectId' | 'runId' | 'createdAt'>;

interface PullRequestRun extends RunKey {
  readonly pullRequestId: string;
}

type PullRequest = ProjectKey & Pick<PullRequestRun, 'pullRequestId'>;

const getSortKey = ({ createdAt, runId }: RunKey) => composeKey('RUN', encodeInstant(createdAt), runId);
const getPartition = (key: PullRequest) => composeKey('PULL', key.organizationId, key.projectId, key.pullRequestId);
const getListPartition = (project: ProjectKey) => composeKey('PULLS', project.organizationId, project.projectId);

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
  patterns: [{ question: 'Runs of a pull request, newest first', of: { pullRequestId: 'id' } }],
  key: (run) => ({ pk: getPartition(run), sk: getSortKey(run) }),
  store,
  load: loadAttributes,
};

export const pullRequestRuns: Entity<RunKey, PullRequestRun & Expiring> & GoesWithRun = {
  type: 'run, with a pull request',
  guarded: false,
  removal: {
    ends: 'results',
    pointers: ({ pullRequest, ...run }) => (pullRequest ? [pullRequestRuns.key(run)] : []),
  },
  patterns: [{ question: 'Runs of the pull requests of a project, newest first' }],
  key: (run) => ({ pk: getListPartition(run), sk: getSortKey(run) }),
  store,
  load: loadAttributes,
};

export const getRunsOfPullRequestSpan = (key: PullRequest): Span =>
  getPrefixSpan(getPartition(key), composePrefix('RUN'));
export const getProjectPullRequestsSpan = (project: ProjectKey): Span =>
  getPrefixSpan(getListPartition(project), composePrefix('RUN'));
