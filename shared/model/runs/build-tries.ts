/**
 * The tries of a CI build, such as the attempts of a workflow run whose failed jobs are run again. Each try is a run of
 * its own. Builds with one try have no such rows. Access patterns: all tries of a build; the tries of a job that the CI
 * system does not number.
 */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, pick, stored } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import type { Expiring } from './expiry.ts';
import type { GoesWithRun } from './removal.ts';
import type { Run, TryOfBuild } from './run.ts';

type BuildKey = ProjectKey & Pick<TryOfBuild, 'build'>;
type BuildTry = BuildKey & TryOfBuild & Pick<Run, 'runId'>;

const partition = ({ organizationId, projectId, build }: BuildKey) =>
  composed('BUILD', organizationId, projectId, build);

const NUMBER_CHARACTERS = 6;
const sortable = (number: number): string => String(number).padStart(NUMBER_CHARACTERS, '0');

export const buildTries: Entity<BuildTry, BuildTry & Expiring> & GoesWithRun = {
  type: 'try of a build',
  guarded: false,
  removal: {
    ends: 'results',
    pointers: ({ tryOf, ...run }) => (tryOf ? [buildTries.key({ ...run, ...tryOf })] : []),
  },
  patterns: [{ question: 'Tries of a build', key: 'pk = BUILD#org#project#build, sk = TRY#attempt#try#run' }],
  key: (of) => ({ pk: partition(of), sk: composed('TRY', sortable(of.attempt), sortable(of.again), of.runId) }),
  store: pick('organizationId', 'projectId', 'build', 'attempt', 'again', 'runId', 'expiresAt'),
  load: stored,
};

export const triesSpan = (of: BuildKey) => beginningWith(partition(of), prefix('TRY'));

/** Whether the try is not the first one of its build. */
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
  patterns: [{ question: 'Tries of a job without numbers', key: 'pk = BUILD#org#project#build, sk = JOB#job' }],
  key: (of) => ({ pk: partition(of), sk: composed('JOB', of.job) }),
  store: attributesOf,
  load: stored,
};

/**
 * The build id of a later try of a build whose build id is the same for all tries, such as `9001 (attempt 2)`. No names:
 * the first try.
 */
export const buildIdOfTry = (ciBuildId: string, names: readonly string[]): string =>
  names.length === 0 ? ciBuildId : `${ciBuildId} (${names.join(', ')})`;

/** Whether the build id of a run is the one that a client sent, or that of a later try of it. */
export const isBuildId = (ciBuildId: string, sent: string): boolean =>
  ciBuildId === sent || (ciBuildId.startsWith(`${sent} (`) && ciBuildId.endsWith(')'));
