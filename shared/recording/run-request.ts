/** The beginning of a run, whatever protocol the client speaks: what a machine says about the run, itself and its tests. */
import type { CiJob } from '#shared/model/runs/ci-job.ts';
import type { Group } from '#shared/model/runs/group.ts';
import type { Origin } from '#shared/model/runs/origin.ts';
import type { Run } from '#shared/model/runs/run.ts';

/** The tests of a group that a run expects. */
export interface SuiteGroup {
  readonly name: string;
  readonly tags: readonly string[];
  readonly environment: string | null;
  readonly tests: readonly { readonly testId: string; readonly spec: string }[];
}

/** What a machine reports about its group. */
type GroupFacts = Pick<Group, 'platform' | 'coverageEnabled'>;

/** The platform of a machine that does not report it, or that has not started yet. */
export const NO_PLATFORM = { osName: null, osVersion: null, browserName: null, browserVersion: null };

/** The facts about a group that no machine has started yet. They are unknown, because suites do not contain them. */
export const UNKNOWN_FACTS: GroupFacts = { platform: NO_PLATFORM, coverageEnabled: false };

export interface RunRequest
  extends Pick<Run, 'organizationId' | 'projectId' | 'commit' | 'framework' | 'tags' | 'pullRequest' | 'github'>,
    Pick<Run, 'cancelAfterFailures' | 'imported'> {
  /** The group that the machine records. */
  readonly groupId: string;
  readonly facts: GroupFacts;
  /** Absent if the client does not know its build. The request is then a build of its own. */
  readonly ciBuildId?: string | undefined;
  readonly job?: CiJob | undefined;
  /** The number that people gave the try of the build. */
  readonly again?: number | undefined;
  /** What tells a command of a job apart from all others of its build, in all tries. */
  readonly leg?: string | undefined;
  /** Absent if the service names the machine. */
  readonly machineId?: string | null | undefined;
  /** Tells apart the processes of a machine whose id people set, because several may have the same one. */
  readonly process?: string | undefined;
  /** Whether the client says when it has ended. The run is then held from its creation until all such clients have. */
  readonly holds?: true;
  /** §5.1 Of a CI job that records without a key. */
  readonly origin?: Origin | undefined;
  /** Empty if an earlier request contained the suite. */
  readonly suite: readonly SuiteGroup[];
}
