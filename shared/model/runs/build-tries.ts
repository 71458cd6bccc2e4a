/**
 * The tries of a CI build, such as the attempts of a workflow whose failed jobs are run again.
 * Each try is a run of its own. Builds with one try have no such rows.
 */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick, toAttributes } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import type { Expiring } from './expiry.ts';
import type { GoesWithRun } from './removal.ts';
import type { Run, TryOfBuild } from './run.ts';

type BuildKey = ProjectKey & Pick<TryOfBuild, 'build'>;
type BuildTry = BuildKey & TryOfBuild & Pick<Run, 'runId'>;

const getPartition = ({ organizationId, projectId, build }: BuildKey) =>
  composeKey('BUILD', organizationId, projectId, build);

const NUMBER_CHARACTERS = 6;
const padNumber = (number: number): string => String(number).padStart(NUMBER_CHARACTERS, '0');

export const buildTries: Entity<BuildTry, BuildTry & Expiring> & GoesWithRun = {
  type: 'try of a build',
  guarded: false,
  removal: {
    ends: 'results',
    pointers: ({ tryOf, ...run }) => (tryOf ? [buildTries.key({ ...run, ...tryOf })] : []),
  },
  patterns: [{ question: 'Tries of a build', of: { again: 'try' } }],
  key: (row) => ({
    pk: getPartition(row),
    sk: composeKey('TRY', padNumber(row.attempt), padNumber(row.again), row.runId),
  }),
  store: pick('organizationId', 'projectId', 'build', 'attempt', 'again', 'runId', 'expiresAt'),
  load: loadAttributes,
};

export const getTriesSpan = (key: BuildKey) => getPrefixSpan(getPartition(key), composePrefix('TRY'));

export const isLaterTry = ({ attempt, again }: Pick<TryOfBuild, 'attempt' | 'again'>): boolean =>
  attempt > 1 || again > 1;

/** The tries of a job whose CI system gives each of them a new id but no number, in the order of their first reports. */
interface JobTries extends BuildKey {
  readonly job: string;
  readonly tries: readonly { readonly id: string; readonly ciBuildId: string }[];
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

export const jobTries: Entity<BuildKey & Pick<JobTries, 'job'>, JobTries> = {
  type: 'tries of a job',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Tries of a job without numbers' }],
  key: (row) => ({ pk: getPartition(row), sk: composeKey('JOB', row.job) }),
  store: toAttributes,
  load: loadAttributes,
};

/** For builds whose id is the same for all tries: `9001 (attempt 2)`. No names: the first try. */
export const formatTryBuildId = (ciBuildId: string, names: readonly string[]): string =>
  names.length === 0 ? ciBuildId : `${ciBuildId} (${names.join(', ')})`;

/** Whether the id is the one that a client sent, or that of a later try of it. */
export const isBuildId = (ciBuildId: string, sentBuildId: string): boolean =>
  ciBuildId === sentBuildId || (ciBuildId.startsWith(`${sentBuildId} (`) && ciBuildId.endsWith(')'));
