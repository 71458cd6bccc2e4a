/** How rows that belong to a run are removed: when it is deleted, or when their part of it expires. */
import type { Span } from '#shared/engine/table/entity.ts';
import type { TableKey } from '#shared/engine/table/keys.ts';
import type { Commit } from './commit.ts';
import type { Expiry } from './expiry.ts';

interface RunKey {
  readonly organizationId: string;
  readonly runId: string;
}

/** The members that the keys of pointers to a run consist of. */
interface PointedRun extends RunKey {
  readonly projectId: string;
  readonly createdAt: number;
  readonly dueAt: number;
  readonly github?: { readonly runId: string; readonly attempt: string };
  readonly ciBuildId: string;
  readonly commit: Commit;
  readonly pullRequest?: { readonly id: string; readonly title: string | null };
  readonly listed?: { readonly branch: string; readonly groups: string };
}

interface InstanceKey extends RunKey {
  readonly instanceId: string;
  readonly expiry: Pick<Expiry, 'files'>;
}

/** A test that became final. */
export interface FinalTest {
  readonly organizationId: string;
  readonly signature: string;
  readonly recordedAt: number;
  readonly recordId: string;
  readonly projectId: string;
  /** The rules that matched the test. */
  readonly actionIds: readonly string[];
}

/** An entity whose rows belong to a run. A deletion finds them by these functions, of which at least one is needed. */
export interface GoesWithRun {
  readonly type: string;
  readonly removal: {
    /**
     * The retention that applies to these rows. `sweep`: a schedule deletes them, together with what they lead to.
     * `own`: each row has its own expiry.
     */
    readonly ends: 'results' | 'evidence' | 'files' | 'sweep' | 'own';
    readonly ofRun?: (run: RunKey) => readonly Span[];
    readonly pointers?: (run: PointedRun) => readonly TableKey[];
    readonly ofInstance?: (instance: InstanceKey) => readonly Span[];
    readonly ofTest?: (test: FinalTest) => readonly TableKey[];
  };
}

/** A span of one row, by its key. */
export const only = ({ pk, sk }: TableKey): Span => ({ pk, from: sk, to: sk });
