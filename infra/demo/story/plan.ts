/** The 61 runs of Shop and Warehouse: their times, branches and commits, and which runs are special, such as a cancelled run. */
import { formatTryBuildId } from '#shared/model/runs/build-tries.ts';
import { MAIN, OTHER_BRANCHES, type StoryChange, type StoryProject } from './changes.ts';
import { drawHex, drawInteger } from './noise.ts';

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

/** For runs on the day of the first start. The runs of earlier days happened during working hours. */
const MINUTES_AGO: Readonly<Record<string, number>> = {
  'shop main live': 0,
  'shop main': 38,
  'warehouse main': 95,
  'shop feature/gift-cards': 190,
};

/** All runs, oldest first. `start`: time of the first start, in epoch milliseconds. */
export function planRuns(start: number): PlannedRun[] {
  const mainRuns = (['shop', 'warehouse'] as const).flatMap((project) =>
    MAIN[project].map((change) => ({ ...change, project, branch: 'main' })),
  );
  const timedRuns = [...mainRuns, ...OTHER_BRANCHES].map((run) => ({ ...run, createdAt: computeRunTime(run, start) }));
  const buildNumbers: Record<StoryProject, number> = { ...FIRST_BUILD };
  return timedRuns
    .sort((one, other) => one.createdAt - other.createdAt)
    .flatMap((run) => {
      buildNumbers[run.project] += 1;
      const number = buildNumbers[run.project];
      const first: PlannedRun = {
        ...run,
        number,
        attempt: 1,
        ciBuildId: formatBuildId({ ...run, number }),
        sha: drawHex(40, run.project, run.branch, run.message),
        groups: pickGroups(run),
      };
      return run.special === 'tried again' ? [first, planNextTry(first)] : [first];
    })
    .sort((one, other) => one.createdAt - other.createdAt);
}

/** The build id that all tries of a build send. */
export const formatBuildId = ({ project, number }: { readonly project: string; readonly number: number }): string =>
  `${project}-${number}`;

const planNextTry = (run: PlannedRun): PlannedRun => ({
  ...run,
  attempt: 2,
  ciBuildId: formatTryBuildId(run.ciBuildId, ['attempt 2']),
  createdAt: run.createdAt + MINUTES_TO_NEXT_TRY * MINUTE,
});

type UntimedRun = StoryChange & Pick<PlannedRun, 'project' | 'branch'>;

function computeRunTime({ project, branch, day, special, message }: UntimedRun, start: number): number {
  const minutes = MINUTES_AGO[special === 'live' ? `${project} ${branch} live` : `${project} ${branch}`];
  if (day === 0) return start - (minutes ?? 0) * MINUTE;
  const midnight = Math.floor(start / DAY) * DAY;
  return midnight - day * DAY + 8 * HOUR + drawInteger(0, 10 * HOUR, 'time', project, branch, message);
}

/** In the shop, releases and every third day of the main branch also use the second browser. */
function pickGroups({ project, branch, day, special }: UntimedRun): string[] {
  if (project === 'warehouse') return ['node'];
  const hasSecond = branch === 'release/2.4' || (branch === 'main' && day % 3 === 0 && special === undefined);
  return hasSecond ? ['chromium', 'firefox'] : ['chromium'];
}
