/** A row for one run, in lists of runs and of pull requests: outcome, title, commit, tests, duration and age. */
import type * as z from 'zod';
import type { Html } from '#shared/engine/html/html.ts';
import type { Counters } from '#shared/model/results/outcomes.ts';
import { Ago, formatDuration } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { OutcomeCounts, OutcomeMark } from '#shared/pages/design/outcome.tsx';
import { ProportionBar } from '#shared/pages/design/proportion-bar.tsx';
import { findTry, getRunName, isMadeUpBuildId, shortenBuildId } from '#shared/pages/design/run-name.ts';
import { findMergedBuild, getRunOutcome } from '#shared/pages/design/run-outcome.ts';
import type { RunWithTotals } from '#shared/results/runs/list-runs.ts';
import type { RunChange } from '#shared/results/runs/run-changes.ts';
import type { RunFeedItem } from '#shared/results/runs/run-wire.ts';
import { CiLinks } from './ci-links.tsx';
import { CommitLinks } from './commit-links.tsx';
import { linkToRun, linkToRuns } from './hrefs.ts';
import { countShownTests } from './run-totals.ts';

type Run = z.infer<typeof RunFeedItem>;

interface Props {
  readonly visit: Parameters<typeof linkToRun>[0];
  readonly run: RunWithTotals;
  /** Default: what its own page calls the run. */
  readonly title?: string;
  /** Whether to show tags and groups. */
  readonly shownTags?: boolean;
  /** The name of the project, in lists of several projects. */
  readonly project?: string;
  /** The page that the row leads to. Default: the page of the run. */
  readonly href?: string;
  readonly change?: RunChange | undefined;
  readonly now: number;
}

export function RunRow({ visit, run, title, shownTags = false, project, href, change, now }: Props): Html {
  const { meta, progress } = run;
  const counts = progress && !findMergedBuild(run) ? progress.tests : countShownTests(run);
  // A full bar would say that everything has finished.
  const isOpenEnded = run.completionState === 'IN_PROGRESS' && progress?.plan.hasTests === false;
  const attempt = findTry(meta.ciBuildId);
  return (
    <li>
      <OutcomeMark {...getRunOutcome(run)} />
      <div class="grow">
        <a class="whole-link" href={href ?? linkToRun(visit, run.runId)}>
          {title ?? getRunName(run)}
        </a>
        <div class="meta">
          {project !== undefined && <span>{project}</span>}
          <CommitLinks visit={visit} commit={meta.commit} pr={title === undefined ? meta.pr : withoutTitle(meta.pr)} />
          {run.build && <Tries visit={visit} run={run} build={run.build} />}
          <CiLinks pages={meta.ciPages?.slice(0, 1)} />
          {shownTags && <RunTags visit={visit} run={run} />}
        </div>
      </div>
      <div class="run-tests">
        {!isOpenEnded && <ProportionBar counts={counts} total={counts.tests} />}
        <OutcomeCounts counts={counts} newFailures={change?.newFailures} />
        <OtherReason run={run} counts={counts} />
      </div>
      <div class="run-time number">
        <b>{formatRunDuration(run)}</b>
        <UsualDuration times={change?.timesUsual} />
        <span>
          <Ago at={run.createdAt} now={now} />
        </span>
        {!isMadeUpBuildId(meta.ciBuildId) && <code title={meta.ciBuildId}>{shortenBuildId(meta.ciBuildId)}</code>}
        {attempt !== undefined && <span>{attempt}</span>}
      </div>
    </li>
  );
}

/** In the list of pull requests, the title is the name of the row. */
const withoutTitle = (pr: Run['meta']['pr']) => pr && { ...pr, title: null };

const SHOWN_TAGS = 3;

const RunTags = ({ visit, run: { tags, groups } }: Pick<Props, 'visit' | 'run'>): Html => (
  <>
    {groups.length > 1 && (
      <span class="wide">
        <Icon name="layers" />
        {groups.map(({ groupId }) => groupId).join(', ')}
      </span>
    )}
    {tags.length > 0 && (
      <span class="wide" title={tags.join(', ')}>
        <Icon name="tag" />
        {tags.slice(0, SHOWN_TAGS).map((tag) => (
          <a href={linkToRuns(visit, { 'tags[]': [tag] })}>{tag}</a>
        ))}
        {tags.length > SHOWN_TAGS && `+${tags.length - SHOWN_TAGS}`}
      </span>
    )}
  </>
);

/** How long the run took. Imported reports do not always say it. */
export function formatRunDuration({
  durationMs,
  completionState,
}: Pick<Run, 'durationMs' | 'completionState'>): string {
  if (completionState === 'IN_PROGRESS') return 'running';
  return durationMs === null ? 'time not known' : formatDuration(durationMs);
}

/** A run that takes this many times as long as usual is worth a word. */
const NOTABLE_TIMES = 1.5;

/** A run that takes at least this many times as long as usual needs attention. */
export const SLOW_TIMES = 2;

export function UsualDuration({ times }: { readonly times: number | undefined }): Html {
  if (times === undefined || times < NOTABLE_TIMES) return <></>;
  return (
    <span
      class={times < SLOW_TIMES ? 'soft' : 'flaky'}
      title="Compared with the last complete runs of the default branch that had about as many tests"
    >
      usual × {times.toFixed(1)}
    </span>
  );
}

/** Says that a run failed although none of its tests did, so that a red mark never stands beside green counts alone. */
function OtherReason({
  run: { completionState, status },
  counts: { overall, failures, skipped },
}: {
  readonly run: Run;
  readonly counts: Pick<Counters, 'overall' | 'failures' | 'skipped'>;
}): Html {
  const isCancelled = completionState === 'CANCELED';
  if (status !== 'FAILED' || isCancelled || failures + skipped > 0) return <></>;
  return <span class="soft">{overall === 0 ? 'no tests' : 'job failed'}</span>;
}

/** Whether the run stands for its build in lists. Earlier tries are part of the line of the newest one. */
export const isNewestTry = ({ runId, build }: Pick<Run, 'runId' | 'build'>): boolean =>
  build === undefined || build.newestRunId === runId;

function Tries({
  visit,
  run,
  build: { tries },
}: Pick<Props, 'visit' | 'run'> & { readonly build: NonNullable<Run['build']> }): Html {
  return (
    <span>
      <span>
        {tries.length} tries
        {tries.map(
          (one, index) =>
            one.runId !== run.runId && (
              <>
                {' · '}
                <a href={linkToRun(visit, one.runId)}>
                  {index + 1}: {getRunOutcome(one).label}
                </a>
              </>
            ),
        )}
      </span>
    </span>
  );
}
