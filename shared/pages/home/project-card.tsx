/** One project on the overview of its organization: its latest runs, its default branch and its numbers. */
import { may } from '#shared/access/may.ts';
import type { ProjectSummary } from '#shared/analytics/metrics/project-summary.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DayBars } from '#shared/pages/design/day-bars.tsx';
import { PostButton } from '#shared/pages/design/fields.tsx';
import { FullTime, formatDuration, formatQuantity, formatRate } from '#shared/pages/design/format.tsx';
import { OutcomeBadge, OutcomeMark } from '#shared/pages/design/outcome.tsx';
import { Tile } from '#shared/pages/design/parts.tsx';
import { getRunName } from '#shared/pages/design/run-name.ts';
import { getRunOutcome } from '#shared/pages/design/run-outcome.ts';
import { Strip } from '#shared/pages/design/strip.tsx';
import { linkToProjectPage, linkToProjectSettings, linkToRun, linkToRuns } from '#shared/pages/shell/hrefs.ts';
import { countShownTests } from '#shared/pages/shell/run-totals.ts';
import type { ProjectWithRuns } from '#shared/results/runs/latest-runs.ts';
import type { RunWithTotals } from '#shared/results/runs/list-runs.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';

interface CardProps {
  readonly at: OrganizationVisit & { readonly projectId: string };
  readonly project: ProjectWithRuns['project'];
  readonly runs: readonly RunWithTotals[];
  readonly summary: ProjectSummary | undefined;
}

export function ProjectCard({ at, project, runs, summary }: CardProps): Html {
  if (project.deletesAt !== undefined)
    return <DeletedProject at={at} name={project.name} deletesAt={project.deletesAt} />;
  const branch = project.defaultBranchName;
  const last = summary?.last ?? findLastRun(runs, branch);
  const numbers = summary && summary.overall.runs.total > 0 ? summary : undefined;
  return (
    <section class="panel">
      <header>
        {runs[0] && <OutcomeMark {...getRunOutcome(runs[0])} />}
        <h3>
          <a href={linkToRuns(at)}>{project.name}</a>
        </h3>
        <span class="grow" />
        {last && (
          <a href={linkToRun(at, last.runId)}>
            <OutcomeBadge
              outcome={last.failures > 0 ? 'failed' : 'passed'}
              label={last.failures > 0 ? `${last.failures} failing on ${branch}` : `${branch} passes`}
            />
          </a>
        )}
      </header>
      <div class="pad">
        {runs.length === 0 ? (
          <p>
            No results yet. <a href={linkToRuns(at)}>Send the first results</a>
          </p>
        ) : (
          <div>
            <small class="line">Latest runs</small>
            <Strip
              label="Runs, newest last"
              boxes={runs.map((run) => {
                const { outcome, label } = getRunOutcome(run);
                return { outcome, label: `${getRunName(run)}: ${label}`, href: linkToRun(at, run.runId) };
              })}
            />
          </div>
        )}
        {numbers && (
          <div>
            <small class="line">Failed per day</small>
            <DayBars title="Failed runs" days={numbers.days} />
          </div>
        )}
      </div>
      {numbers && <ProjectNumbers at={at} overall={numbers.overall} />}
    </section>
  );
}

/** For roles that may not see analytics: the latest complete run of the branch, if it is one of the few latest runs. */
function findLastRun(runs: CardProps['runs'], branch: string): { runId: string; failures: number } | undefined {
  const run = runs.find(({ completionState, meta }) => completionState === 'COMPLETE' && meta.commit.branch === branch);
  return run && { runId: run.runId, failures: countShownTests(run).failures };
}

interface DeletedProps extends Pick<CardProps, 'at'> {
  readonly name: string;
  readonly deletesAt: string;
}

const DeletedProject = ({ at, name, deletesAt }: DeletedProps): Html => (
  <section class="panel">
    <header>
      <h3 class="soft">
        <a href={linkToRuns(at)}>{name}</a>
      </h3>
      <span class="grow" />
      <OutcomeBadge outcome="skipped" label="deleted" />
    </header>
    <div class="pad">
      <p>
        Its data will be removed on <FullTime at={deletesAt} />.{' '}
        {!may(at.person, 'projects:write') && 'Until then, an Admin can restore it.'}
      </p>
      {may(at.person, 'projects:write') && (
        <PostButton action={linkToProjectSettings(at, 'restore')} class="quiet" label={`Restore the project ${name}`}>
          Restore the project
        </PostButton>
      )}
    </div>
  </section>
);

function ProjectNumbers({
  at,
  overall: { runs, tests },
}: Pick<CardProps, 'at'> & Pick<ProjectSummary, 'overall'>): Html {
  // Cancelled runs and runs in progress have neither passed nor failed.
  const endedRuns = runs.passed + runs.failed;
  return (
    <dl class="summary">
      <Tile
        label="Passed"
        value={endedRuns === 0 ? '–' : formatRate(runs.passed / endedRuns)}
        note={`of ${formatQuantity(endedRuns, 'run')}`}
      />
      <Tile
        label="Duration"
        value={runs.avgDurationSeconds > 0 ? formatDuration(runs.avgDurationSeconds * 1000) : '–'}
        note="on average"
      />
      <Tile
        label="Flaky"
        value={
          <a href={linkToProjectPage(at, 'flaky')}>{formatRate(tests.total === 0 ? 0 : tests.flaky / tests.total)}</a>
        }
        note="of all executions"
      />
    </dl>
  );
}
