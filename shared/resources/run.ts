/** A run. Asked for: by id; newest first within its project; with its groups and instances, which share its partition. */
import type { Counters } from '../outcomes.ts';
import { beginningWith, type Entity } from '../table/entity.ts';
import { composed, instantKey, prefix } from '../table/keys.ts';
import { stored } from '../table/stored.ts';
import type { Commit } from './commit.ts';

export type RunStatus = 'RUNNING' | 'FAILING' | 'FAILED' | 'PASSED';
export type CompletionState = 'IN_PROGRESS' | 'COMPLETE' | 'CANCELED' | 'TIMEOUT';

export interface Platform {
  readonly osName: string | null;
  readonly osVersion: string | null;
  readonly browserName: string | null;
  readonly browserVersion: string | null;
}

export interface Framework {
  readonly type: string;
  readonly version: string | null;
  readonly clientVersion: string | null;
}

/** One group of a run as readers see it. */
export interface GroupSummary {
  readonly groupId: string;
  readonly platform: Platform;
  readonly tags: readonly string[];
  readonly environment: string | null;
  readonly coverageEnabled: boolean;
  readonly specCount: number;
  readonly durationMs: number | null;
  readonly instances: { overall: number; claimed: number; complete: number; passes: number; failures: number };
  /** `tests.tests` counts expected tests, the rest reported ones. */
  readonly tests: Counters & { readonly tests: number };
}

export interface Run {
  readonly organizationId: string;
  readonly projectId: string;
  readonly runId: string;
  readonly ciBuildId: string;
  /** Milliseconds. */
  readonly createdAt: number;
  readonly endedAt?: number;
  readonly status: RunStatus;
  readonly completionState: CompletionState;
  readonly cancellation?: { readonly actor: string; readonly canceledAt: number; readonly reason: string };
  readonly tags: readonly string[];
  /** Tags of all its groups. */
  readonly groupTags: readonly string[];
  readonly environments: readonly string[];
  readonly commit: Commit;
  readonly framework: Framework;
  readonly pullRequest?: { readonly id: string; readonly title: string | null };
  /** The request that made the run: its re-delivery is answered as the first one was. */
  readonly createdBy: string;
  /** Digests of the suites whose instances all exist. */
  readonly suites: Readonly<Record<string, number>>;
  /** Those that have started, each of which ends with the run. */
  readonly groupsStarted: number;
  readonly instancesExpected: number;
  readonly instancesComplete: number;
  /** The project's, as it was when the run began. */
  readonly inactivityTimeoutSeconds: number;
  /** So many failed tests cancel the run. */
  readonly cancelAfterFailures?: number;
  /** When somebody looks whether it has timed out, in milliseconds; the key of its row in the index. */
  readonly dueAt: number;
  /** When spec files were last opened again, in milliseconds. */
  readonly resetAt?: number;
  /** The CI build that it belongs to, by the provider's own ids. */
  readonly github?: { readonly runId: string; readonly attempt: string };
  /** Counts the changes since the run ended, so that an older summary never replaces a newer one. */
  readonly version: number;
  /** Written when the run ends; before, the instances are asked. */
  readonly groups?: readonly GroupSummary[];
}

type RunKey = Pick<Run, 'organizationId' | 'runId'>;

export const runPartition = ({ organizationId, runId }: RunKey) => composed('RUN', organizationId, runId);

export const runs: Entity<RunKey, Run> = {
  type: 'run',
  patterns: [{ question: 'A run by id', key: 'pk = RUN#org#run, sk = RUN' }],
  key: (run) => ({ pk: runPartition(run), sk: 'RUN' }),
  store: (run) => ({ ...run }),
  load: (row) => stored<Run>(row),
};

type Listed = Pick<Run, 'organizationId' | 'projectId' | 'runId' | 'createdAt'>;

/** A pointer: the record itself stands once, under its id. */
export const runsOfProject: Entity<Listed, Listed> = {
  type: 'run, listed',
  patterns: [{ question: 'Runs of a project, newest first', key: 'pk = RUNS#org#project, sk = RUN#createdAt#run' }],
  key: ({ organizationId, projectId, createdAt, runId }) => ({
    pk: composed('RUNS', organizationId, projectId),
    sk: composed('RUN', instantKey(createdAt), runId),
  }),
  store: ({ organizationId, projectId, createdAt, runId }) => ({ organizationId, projectId, createdAt, runId }),
  load: (row) => stored<Listed>(row),
};

type OfBuild = Pick<Run, 'organizationId' | 'projectId' | 'runId' | 'ciBuildId'> & {
  readonly github: NonNullable<Run['github']>;
};

/** A pointer. One build may record runs of several projects. */
export const runsOfGithubBuild: Entity<OfBuild, OfBuild> = {
  type: 'run, by GitHub build',
  patterns: [
    { question: 'Runs of an attempt of a GitHub Actions run', key: 'pk = GITHUB#org#id#attempt, sk = RUN#run' },
  ],
  key: ({ organizationId, github, runId }) => ({
    pk: composed('GITHUB', organizationId, github.runId, github.attempt),
    sk: composed('RUN', runId),
  }),
  store: ({ organizationId, projectId, runId, ciBuildId, github }) => ({
    organizationId,
    projectId,
    runId,
    ciBuildId,
    github,
  }),
  load: (row) => stored<OfBuild>(row),
};

export const githubBuildSpan = (of: Pick<OfBuild, 'organizationId' | 'github'>) =>
  beginningWith(composed('GITHUB', of.organizationId, of.github.runId, of.github.attempt), prefix('RUN'));

/** Runs created in `[from, to)` milliseconds. */
export function runsSpan(of: { organizationId: string; projectId: string }, from?: number, to?: number) {
  const all = beginningWith(composed('RUNS', of.organizationId, of.projectId), prefix('RUN'));
  return {
    ...all,
    ...(from === undefined ? {} : { from: composed('RUN', instantKey(from)) }),
    ...(to === undefined ? {} : { to: composed('RUN', instantKey(to)) }),
  };
}

type Member = 'FAILURES' | 'GROUP' | 'INSTANCE';

/** A run that was deleted: its build cannot begin another one before `expiresAt`, in seconds. */
interface Deletion extends RunKey {
  readonly deletedAt: number;
  readonly expiresAt: number;
}

export const deletions: Entity<RunKey, Deletion> = {
  type: 'deletion of a run',
  patterns: [{ question: 'Whether a run was deleted', key: 'pk = RUN#org#run, sk = DELETED' }],
  key: (run) => ({ pk: runPartition(run), sk: 'DELETED' }),
  store: (deletion) => ({ ...deletion }),
  load: (row) => stored<Deletion>(row),
};

/** Rows of one kind in the partition of a run. */
export const membersSpan = (run: RunKey, kind: Member) => beginningWith(runPartition(run), prefix(kind));
export const memberKey = (run: RunKey, kind: Member, id: string) => ({
  pk: runPartition(run),
  sk: composed(kind, id),
});
