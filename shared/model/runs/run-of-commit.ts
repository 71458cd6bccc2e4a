/**
 * The runs that tested a commit, each with the little that the state of the commit depends on. The row is written with
 * the run, in the same transaction: when the run is created, when it ends, and when late results change it. Access
 * pattern: all runs of a commit, by their creation.
 */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick } from '#shared/engine/table/stored.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { update, type Write } from '#shared/engine/table/writes.ts';
import { deriveInstanceId } from '#shared/model/ids.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { type Instance, isComplete } from '#shared/model/results/instance.ts';
import { type Counters, sumCounters } from '#shared/model/results/outcomes.ts';
import { findFullSha } from './commit.ts';
import { hashGroups } from './complete-run.ts';
import type { Expiring } from './expiry.ts';
import type { GoesWithRun } from './removal.ts';
import { isUnderWay, type Run } from './run.ts';

type Key = Pick<Run, 'organizationId' | 'projectId' | 'runId' | 'createdAt'> & { readonly sha: string };

export interface RunOfCommit
  extends Key,
    Pick<Run, 'completionState' | 'status' | 'tryOf' | 'jobs' | 'failedJobs'>,
    Expiring {
  /** A digest of the groups. Absent until the run has ended. */
  readonly groups?: string;
  /** The number of failed and skipped tests, and the number of tests that ran. Absent until the run has ended. */
  readonly failed?: number;
  readonly executed?: number;
  /** Whether the run failed for a reason other than its failed and skipped tests. */
  readonly broken?: true;
  /** Short digests of group and name, to answer most questions about a test without a read. Absent if too many. */
  readonly specs?: Uint8Array;
  /** The spec files without all of their results, in the same form. Absent if there are none or too many. */
  readonly missing?: Uint8Array;
  /** Whether several sources reported the same test, so that a spec file has further instances. */
  readonly hasFurther?: true;
}

const getPartition = ({ organizationId, projectId, sha }: ProjectKey & Pick<Key, 'sha'>) =>
  composeKey('COMMIT', organizationId, projectId, sha);

export const runsOfCommit: Entity<Key, RunOfCommit> & GoesWithRun = {
  type: 'run, of a commit',
  guarded: false,
  removal: {
    ends: 'results',
    pointers: ({ commit, ...run }) => {
      const sha = findFullSha(commit);
      return sha === undefined ? [] : [runsOfCommit.key({ ...run, sha })];
    },
  },
  patterns: [{ question: 'Runs of a commit, by creation' }],
  key: (run) => ({ pk: getPartition(run), sk: composeKey('RUN', encodeInstant(run.createdAt), run.runId) }),
  store: pick(
    'organizationId',
    'projectId',
    'sha',
    'runId',
    'createdAt',
    'completionState',
    'status',
    'groups',
    'failed',
    'executed',
    'broken',
    'specs',
    'missing',
    'hasFurther',
    'tryOf',
    'jobs',
    'failedJobs',
    'expiresAt',
  ),
  load: loadAttributes,
};

export const getRunsOfCommitSpan = (project: ProjectKey & Pick<Key, 'sha'>) =>
  getPrefixSpan(getPartition(project), composePrefix('RUN'));

const SPEC_CHARACTERS = 8;

type SpecFile = Pick<Instance, 'groupId' | 'spec'>;

/** The same in each run. */
export const hashSpec = ({ groupId, spec }: SpecFile): string =>
  deriveInstanceId({ runId: '', groupId, spec }).slice(0, SPEC_CHARACTERS);

/** Whether the instance holds results of a spec file that another source had already reported. */
export const isFurther = ({ runId, instanceId, groupId, spec }: SpecFile & Pick<Instance, 'runId' | 'instanceId'>) =>
  instanceId !== deriveInstanceId({ runId, groupId, spec });

/** `undefined` if every spec file may be one of the run. */
export const getSpecDigests = ({ specs }: Pick<RunOfCommit, 'specs'>): ReadonlySet<string> | undefined =>
  specs && unpackDigests(specs);

/** As far as they are known. */
export const getMissingSpecDigests = ({ missing }: Pick<RunOfCommit, 'missing'>): ReadonlySet<string> =>
  missing ? unpackDigests(missing) : new Set();

const unpackDigests = (bytes: Uint8Array): ReadonlySet<string> =>
  new Set(Buffer.from(bytes).toString('hex').match(SPEC_DIGEST) ?? []);

/** Returns `undefined` if there are too many. */
function packDigests(files: readonly SpecFile[]): Uint8Array | undefined {
  const digests = [...new Set(files.map(hashSpec))];
  return digests.length > MODEL_LIMITS.specsOfCommit ? undefined : new Uint8Array(Buffer.from(digests.join(''), 'hex'));
}

const SPEC_DIGEST = new RegExp(`.{${SPEC_CHARACTERS}}`, 'g');

interface EndOfRun {
  readonly groupIds: readonly string[];
  readonly instances: readonly Instance[];
}

/** Whether an ended run failed for a reason other than its failed and skipped tests. */
export const isBroken = (
  { completionState, held, jobFailed }: Pick<Run, 'completionState' | 'held' | 'jobFailed'>,
  instances: readonly Pick<Instance, 'completedAt' | 'counters'>[],
): boolean =>
  jobFailed === true ||
  instances.every(({ counters }) => counters.overall === 0) ||
  (completionState === 'TIMEOUT' && (held === true || !instances.every(isComplete)));

/**
 * Writes the row of a run, or nothing if the run has no complete commit hash. `end` is absent while the run is in
 * progress. A run that does not know yet which try of its build it is keeps what the row says.
 */
export function updateRunOfCommit(run: Run, end?: EndOfRun): Write[] {
  const key = findCommitKey(run);
  if (!key) return [];
  const { completionState, status, jobs, failedJobs, tryOf, expiry } = run;
  const facts: Readonly<Record<string, unknown>> = {
    ...key,
    completionState,
    status,
    jobs,
    failedJobs,
    ...(tryOf && { tryOf }),
    expiresAt: expiry.results,
    ...END,
    ...(end ? summarizeEnd(run, end) : {}),
  };
  const remove = Object.keys(facts).filter((name) => facts[name] === undefined);
  return [update(runsOfCommit, key, { set: toAssignments(facts), remove })];
}

export function findCommitKey(run: Run): Key | undefined {
  const { organizationId, projectId, runId, createdAt, commit } = run;
  const sha = findFullSha(commit);
  return sha === undefined ? undefined : { organizationId, projectId, sha, runId, createdAt };
}

/** Removes from the row what the run no longer has. */
const END = { groups: undefined, failed: undefined, executed: undefined, broken: undefined, missing: undefined };

/** For a run without such a row. */
export function buildRunOfCommit(run: Run, end: EndOfRun): RunOfCommit {
  const { organizationId, projectId, runId, createdAt, completionState, status, jobs, failedJobs, tryOf, expiry } = run;
  const key = { organizationId, projectId, sha: '', runId, createdAt, expiresAt: expiry.results };
  const row = { ...key, completionState, status, jobs, failedJobs, tryOf };
  return isUnderWay(run) ? row : { ...row, ...summarizeEnd(run, end) };
}

function summarizeEnd(run: Run, { groupIds, instances }: EndOfRun) {
  const { failures, skipped, overall, pending }: Counters = sumCounters(instances.map(({ counters }) => counters));
  const open = instances.filter((instance) => !isComplete(instance));
  return {
    groups: hashGroups(groupIds),
    failed: failures + skipped,
    executed: overall - pending,
    broken: isBroken(run, instances) ? (true as const) : undefined,
    specs: packDigests(instances),
    missing: open.length > 0 ? packDigests(open) : undefined,
    hasFurther: instances.some(isFurther) ? (true as const) : undefined,
  };
}
