/** A run. Asked for: by id; newest first within its project; with its groups and instances, which share its partition. */
import type { Counters } from '../outcomes.ts';
import { beginningWith, type Entity } from '../table/entity.ts';
import { composed, instantKey, prefix } from '../table/keys.ts';
import { stored } from '../table/stored.ts';
import type { Commit } from './commit.ts';

type RunStatus = 'RUNNING' | 'FAILING' | 'FAILED' | 'PASSED';
type CompletionState = 'IN_PROGRESS' | 'COMPLETE' | 'CANCELED' | 'TIMEOUT';

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
  readonly instancesExpected: number;
  readonly instancesComplete: number;
  /** Counts the changes since the run ended, so that an older summary never replaces a newer one. */
  readonly version: number;
  /** Written when the run ends; before, the instances are asked. */
  readonly groups?: readonly GroupSummary[];
}

type RunKey = Pick<Run, 'organizationId' | 'runId'>;

const partition = ({ organizationId, runId }: RunKey) => composed('RUN', organizationId, runId);

export const runs: Entity<RunKey, Run> = {
  type: 'run',
  patterns: [{ question: 'A run by id', key: 'pk = RUN#org#run, sk = RUN' }],
  key: (run) => ({ pk: partition(run), sk: 'RUN' }),
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

/** Rows of one kind in the partition of a run. */
export const membersSpan = (run: RunKey, kind: Member) => beginningWith(partition(run), prefix(kind));
export const memberKey = (run: RunKey, kind: Member, id: string) => ({
  pk: partition(run),
  sk: composed(kind, id),
});
