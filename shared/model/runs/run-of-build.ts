/**
 * §4.4.2 Pointers from an attempt of a GitHub Actions run to the test runs that it recorded. Access pattern: by the ids
 * that GitHub assigned.
 */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, prefix } from '#shared/engine/table/keys.ts';
import { pick, stored } from '#shared/engine/table/stored.ts';
import type { Expiring } from './expiry.ts';
import type { GoesWithRun } from './removal.ts';
import type { Run } from './run.ts';

type OfBuild = Pick<Run, 'organizationId' | 'projectId' | 'runId' | 'ciBuildId'> & {
  readonly github: NonNullable<Run['github']>;
};

/** A pointer from a GitHub Actions build to a run. One build may record runs of several projects. */
export const runsOfGithubBuild: Entity<Pick<OfBuild, 'organizationId' | 'runId' | 'github'>, OfBuild & Expiring> &
  GoesWithRun = {
  type: 'run, by GitHub build',
  guarded: false,
  removal: {
    ends: 'results',
    pointers: ({ github, ...run }) => (github ? [runsOfGithubBuild.key({ ...run, github })] : []),
  },
  patterns: [
    { question: 'Runs of an attempt of a GitHub Actions run', key: 'pk = GITHUB#org#id#attempt, sk = RUN#run' },
  ],
  key: ({ organizationId, github, runId }) => ({
    pk: composed('GITHUB', organizationId, github.runId, github.attempt),
    sk: composed('RUN', runId),
  }),
  store: pick('organizationId', 'projectId', 'runId', 'ciBuildId', 'github', 'expiresAt'),
  load: stored,
};

export const githubBuildSpan = (of: Pick<OfBuild, 'organizationId' | 'github'>) =>
  beginningWith(composed('GITHUB', of.organizationId, of.github.runId, of.github.attempt), prefix('RUN'));
