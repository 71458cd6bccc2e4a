/** §4.4.2 Pointers from an attempt of a GitHub Actions run to the test runs that it recorded. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick } from '#shared/engine/table/stored.ts';
import type { Expiring } from './expiry.ts';
import type { GoesWithRun } from './removal.ts';
import type { Run } from './run.ts';

type OfBuild = Pick<Run, 'organizationId' | 'projectId' | 'runId' | 'ciBuildId'> & {
  readonly github: NonNullable<Run['github']>;
};

/** One build may record runs of several projects. */
export const runsOfGithubBuild: Entity<Pick<OfBuild, 'organizationId' | 'runId' | 'github'>, OfBuild & Expiring> &
  GoesWithRun = {
  type: 'run, by GitHub build',
  guarded: false,
  removal: {
    ends: 'results',
    pointers: ({ github, ...run }) => (github ? [runsOfGithubBuild.key({ ...run, github })] : []),
  },
  patterns: [
    { question: 'Runs of an attempt of a GitHub Actions run', of: { github: { runId: 'id', attempt: 'attempt' } } },
  ],
  key: ({ organizationId, github, runId }) => ({
    pk: composeKey('GITHUB', organizationId, github.runId, github.attempt),
    sk: composeKey('RUN', runId),
  }),
  store: pick('organizationId', 'projectId', 'runId', 'ciBuildId', 'github', 'expiresAt'),
  load: loadAttributes,
};

export const getGithubBuildSpan = (key: Pick<OfBuild, 'organizationId' | 'github'>) =>
  getPrefixSpan(composeKey('GITHUB', key.organizationId, key.github.runId, key.github.attempt), composePrefix('RUN'));
