/** Describes how rows that belong to a run are removed: when the run is deleted, or when their kind of data expires. */
import type { Span } from '#shared/engine/table/entity.ts';
import type { TableKey } from '#shared/engine/table/keys.ts';
import type { RunKey } from '#shared/model/keys.ts';
import type { Commit } from './commit.ts';
import type { Expiry } from './expiry.ts';

/** The attributes of a run from which the keys of the pointers to the run are built. */
interface PointedRun extends RunKey {
  readonly projectId: string;
  readonly createdAt: number;
  readonly dueAt: number;
  readonly github?: { readonly runId: string; readonly attempt: string };
  readonly ciBuildId: string;
  readonly commit: Commit;
  readonly pullRequest?: { readonly id: string; readonly title: string | null };
  readonly tryOf?: { readonly build: string; readonly attempt: number; readonly again: number };
  readonly listed?: { readonly branch: string; readonly groups: string };
}

interface InstanceKey extends RunKey {
  readonly instanceId: string;
  readonly expiry: Pick<Expiry, 'files'>;
}

export interface FinalTest {
  readonly organizationId: string;
  readonly signature: string;
  readonly recordedAt: number;
  readonly recordId: string;
  readonly projectId: string;
  /** The ids of the rules that matched the test. */
  readonly actionIds: readonly string[];
}

/** An entity whose rows are deleted with a run. It must define at least one function that finds them. */
export interface GoesWithRun {
  readonly type: string;
  readonly removal: {
    /** The retention. `sweep`: a job deletes them, and the rows and files they point to. `own`: by their own expiry. */
    readonly ends: 'results' | 'evidence' | 'files' | 'sweep' | 'own';
    readonly ofRun?: (run: RunKey) => readonly Span[];
    readonly pointers?: (run: PointedRun) => readonly TableKey[];
    readonly ofInstance?: (instance: InstanceKey) => readonly Span[];
    readonly ofTest?: (test: FinalTest) => readonly TableKey[];
  };
}

export const getRowSpan = ({ pk, sk }: TableKey): Span => ({ pk, from: sk, to: sk });
