/** The 61 runs of the story: their times, branches and commits, and which runs are special, such as a cancelled run. */
import { formatTryBuildId } from '#shared/model/runs/build-tries.ts';
import { MAIN, OTHER_BRANCHES, type StoryChange, type StoryProject } from './changes.ts';
import { between, hex } from './noise.ts';

export interface PlannedRun extends StoryChange {
  readonly project: StoryProject;
  /** The build id of the run. Its later tries send the id of the build. */
  readonly ciBuildId: string;
  readonly number: number;
  /** 2 if the failed jobs of the build are run again. */
  readonly attempt: 1 | 2;
  /** The job of a machine, if several jobs execute the same tests. */
  readonly job?: string;
  readonly branch: string;
  /** The time when the run sends its first request, in epoch milliseconds. */
  readonly createdAt: number;
  readonly sha: string;
  readonly groups: readonly string[];
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** For each project, the build number before the first run of the story. */
const FIRST_BUILD = { shop: 4781, warehouse: 1302 } as const;

const MINUTES_TO_NEXT_TRY = 17;

/**
 * For each run on the day of the first start, by project, branch and kind: the number of minutes between the run and
 * the start. The runs of earlier days happened during working hours.
 */
const MINUTES_AGO: Readonly<Record<string, number>> = {
  'shop main live': 0,
  'shop main': 38,
  'warehouse main': 95,
  'shop feature/gift-cards': 190,
};

/** All runs, oldest first. `start`: time of the first start, in epoch milliseconds. */
export function planOf(start: number): PlannedRun[] {
  const main = (['shop', 'warehouse'] as const).flatMap((project) =>
    MAIN[project].map((change) => ({ ...change, project, branch: 'main' })),
  );
  const timed = [...main, ...OTHER_BRANCHES].map((run) => ({ ...run, createdAt: timeOf(run, start) }));
  const built: Record<StoryProject, number> = { ...FIRST_BUILD };
  return timed
    .sort((one, other) => one.createdAt - other.createdAt)
    .flatMap((run) => {
      built[run.project] += 1;
      const number = built[run.project];
      const first: PlannedRun = {
        ...run,
        number,
        attempt: 1,
        ciBuildId: buildIdOf({ ...run, number }),
        sha: hex(40, run.project, run.branch, run.message),
        groups: groupsOf(run),
      };
      return run.special === 'tried again' ? [first, nextTry(first)] : [first];
    })
    .sort((one, other) => one.createdAt - other.createdAt);
}

/** The build id that all tries of a build send. */
export const buildIdOf = ({ project, number }: Pick<PlannedRun, 'project' | 'number'>): string =>
  `${project}-${number}`;

const nextTry = (run: PlannedRun): PlannedRun => ({
  ...run,
  attempt: 2,
  ciBuildId: formatTryBuildId(run.ciBuildId, ['attempt 2']),
  createdAt: run.createdAt + MINUTES_TO_NEXT_TRY * MINUTE,
});

type Untimed = StoryChange & Pick<PlannedRun, 'project' | 'branch'>;

function timeOf({ project, branch, day, special, message }: Untimed, start: number): number {
  const minutes = MINUTES_AGO[special === 'live' ? `${project} ${branch} live` : `${project} ${branch}`];
  if (day === 0) return start - (minutes ?? 0) * MINUTE;
  const midnight = Math.floor(start / DAY) * DAY;
  return midnight - day * DAY + 8 * HOUR + between(0, 10 * HOUR, 'time', project, branch, message);
}

/**
 * The groups of a run. In the shop, release runs also use the second browser, and so do the ordinary runs of the main
 * branch on every third day.
 */
function groupsOf({ project, branch, day, special }: Untimed): string[] {
  if (project === 'warehouse') return ['node'];
  const hasSecond = branch === 'release/2.4' || (branch === 'main' && day % 3 === 0 && special === undefined);
  return hasSecond ? ['chromium', 'firefox'] : ['chromium'];
}
