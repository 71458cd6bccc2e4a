/** The projects of an organization, with their latest runs. */
import { may } from '#shared/access/may.ts';
import type { ProjectSummary } from '#shared/analytics/metrics/project-summary.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DayBars } from '#shared/pages/design/day-bars.tsx';
import { Ago, FullTime, formatDuration, formatQuantity, formatRate } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { getRunOutcome, OutcomeBadge, OutcomeMark } from '#shared/pages/design/outcome.tsx';
import { Avatar, EmptyState, GroupHead, Notice, PageHead, Tile } from '#shared/pages/design/parts.tsx';
import { Strip } from '#shared/pages/design/strip.tsx';
import {
  addQuery,
  linkToAccountForm,
  linkToOrganization,
  linkToOrganizationPage,
  linkToProjectPage,
  linkToRun,
  linkToRunPage,
  linkToRuns,
  linkToTestOfRun,
} from '#shared/pages/shell/hrefs.ts';
import { LIST_DAYS } from '#shared/pages/shell/limits.ts';
import { PageLinks, type Paging } from '#shared/pages/shell/paging.tsx';
import { getRunTitle, RunRow } from '#shared/pages/shell/run-row.tsx';
import type { ComparedTest } from '#shared/results/comparisons/comparison-wire.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import type { ProjectWithRuns } from '#shared/results/runs/latest-runs.ts';
import type { RunWithTotals } from '#shared/results/runs/list-runs.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';

/** A project whose default branch fails, with some of the failed tests. */
export interface FailingProject {
  readonly project: ProjectWithRuns['project'];
  readonly last: NonNullable<ProjectSummary['last']>;
  readonly tests: readonly ComparedTest[];
}

interface Props {
  readonly visit: OrganizationVisit;
  readonly projects: readonly ProjectWithRuns[];
  /** The summary of each project, by project id. Absent for roles that may not see analytics. */
  readonly summaries: ReadonlyMap<string, ProjectSummary> | undefined;
  readonly failing: readonly FailingProject[];
  readonly paging: Paging;
  readonly now: number;
}

export function ProjectsPage({ visit, projects, summaries, failing, paging, now }: Props): Html {
  const runs = listLatestRuns(projects);
  return (
    <>
      <PageHead
        title="Overview"
        actions={
          may(visit.person, 'projects:write') && (
            <a class="button" href={linkToOrganizationPage(visit, 'projects', 'new')}>
              <Icon name="plus" />
              New project
            </a>
          )
        }
      />
      {visit.session.method === 'link' && (
        <Notice>
          You signed in with a link. <a href={linkToAccountForm(visit, 'passkeys/new')}>Add a passkey</a> to sign in
          without a link next time.
        </Notice>
      )}
      {projects.length === 0 ? (
        <NoProjects visit={visit} />
      ) : (
        <>
          <NeedsAttention visit={visit} projects={projects} summaries={summaries} failing={failing} now={now} />
          <RunList title="Running now" visit={visit} found={runs.filter(isRunning)} now={now} />
          <GroupHead title="Projects" note={summaries && `last ${LIST_DAYS} days`} />
          <div class="cards">
            {projects.map(({ project, runs: projectRuns }) => (
              <ProjectCard
                at={{ ...visit, projectId: project.projectId }}
                project={project}
                runs={projectRuns}
                summary={summaries?.get(project.projectId)}
              />
            ))}
          </div>
          <RunList
            title="Latest runs"
            visit={visit}
            found={runs.filter((one) => !isRunning(one)).slice(0, LATEST_RUNS)}
            now={now}
          />
        </>
      )}
      <PageLinks paging={paging} href={(cursors) => addQuery(linkToOrganization(visit), cursors)} />
    </>
  );
}

const LATEST_RUNS = 8;

interface RunOfProject {
  readonly project: ProjectWithRuns['project'];
  readonly run: RunWithTotals;
}

const isRunning = ({ run }: RunOfProject): boolean => run.completionState === 'IN_PROGRESS';

const listLatestRuns = (projects: readonly ProjectWithRuns[]): RunOfProject[] =>
  projects
    .flatMap(({ project, runs }) => runs.map((run) => ({ project, run })))
    .toSorted((one, other) => other.run.createdAt.localeCompare(one.run.createdAt));

const NoProjects = ({ visit }: Pick<Props, 'visit'>): Html => (
  <EmptyState icon="inbox" title="There are no projects yet">
    <p>
      A project contains the runs of one product or repository.{' '}
      {may(visit.person, 'projects:write')
        ? 'Create one. Its page then shows how to record a run.'
        : 'Ask an Admin to create one.'}
    </p>
  </EmptyState>
);

/** A run that takes at least this many times as long as usual needs attention. */
const SLOW_TIMES = 2;

function NeedsAttention({ visit, projects, summaries, failing, now }: Omit<Props, 'paging'>): Html {
  const slowRuns = projects.flatMap(({ project, runs }) => {
    const usual = 1000 * (summaries?.get(project.projectId)?.overall.runs.avgDurationSeconds ?? 0);
    const newestRun = runs.find(
      ({ completionState, meta }) => completionState === 'COMPLETE' && meta.commit.branch === project.defaultBranchName,
    );
    return newestRun?.durationMs && usual > 0 && newestRun.durationMs >= SLOW_TIMES * usual
      ? [{ project, run: newestRun, milliseconds: newestRun.durationMs, usual }]
      : [];
  });
  if (failing.length + slowRuns.length === 0) return <></>;
  return (
    <>
      <GroupHead title="Needs attention" note="on the default branches" />
      <section class="panel" aria-label="Needs attention">
        <ul class="rows whole">
          {failing.map((one) => (
            <FailingRows visit={visit} failing={one} now={now} />
          ))}
          {slowRuns.map(({ project, run, milliseconds, usual }) => (
            <li>
              <Icon name="clock" size="large" />
              <div class="grow">
                <a class="whole-link" href={linkToRunPage({ ...visit, ...project }, run.runId, 'timeline')}>
                  The latest complete run took {(milliseconds / usual).toFixed(1)} times as long as the average
                </a>
                <div class="meta">
                  <span>in {project.name}</span>
                  <span>
                    {formatDuration(milliseconds)}, {formatDuration(usual)} on average
                  </span>
                </div>
              </div>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

interface FailingProps extends Pick<Props, 'visit' | 'now'> {
  readonly failing: FailingProject;
}

const FailingRows = ({ visit, failing: { project, last, tests }, now }: FailingProps): Html => {
  const at = { ...visit, projectId: project.projectId };
  // A test may fail in several groups, for example in several browsers. Such a test is listed only once.
  const bySignature = [...Map.groupBy(tests, ({ signature }) => signature).values()];
  const visibleTests = bySignature.slice(0, RESULT_LIMITS.attention.tests);
  const others = last.failures - visibleTests.flat().length;
  return (
    <>
      {visibleTests.map((results) => (
        <FailingTest at={at} name={project.name} results={results} now={now} />
      ))}
      {others > 0 && (
        <li>
          <OutcomeMark outcome="failed" />
          <div class="grow">
            <a class="whole-link" href={linkToRun(at, last.runId)}>
              {formatQuantity(others, tests.length === 0 ? 'test' : 'more test')} {others === 1 ? 'is' : 'are'} failing
              on {project.defaultBranchName}
            </a>
            <div class="meta">
              <span>in {project.name}</span>
            </div>
          </div>
        </li>
      )}
    </>
  );
};

interface FailingTestProps {
  readonly at: OrganizationVisit & { readonly projectId: string };
  readonly name: string;
  /** The failed results of one test. There are several if it failed in several groups. */
  readonly results: readonly ComparedTest[];
  readonly now: number;
}

const FailingTest = ({ at, name, results, now }: FailingTestProps): Html => {
  const [test] = results;
  if (!test) return <></>;
  const { title, error, failingSince } = test;
  return (
    <li>
      <OutcomeMark outcome="failed" />
      <div class="grow">
        <a class="whole-link" href={linkToTestOfRun(at, test)}>
          {title.length > 1 && <span class="soft">{title.slice(0, -1).join(' › ')} › </span>}
          {title.at(-1)}
        </a>
        <div class="meta">
          <span>in {name}</span>
          <span>
            <code>{test.spec}</code>
          </span>
          {results.length > 1 && <span>{results.map(({ groupId }) => groupId).join(', ')}</span>}
          {failingSince && (
            <span>
              failed in {formatQuantity(failingSince.failures, 'run')},{failingSince.failures > 1 && ' first'}{' '}
              <Ago at={failingSince.createdAt} now={now} />
            </span>
          )}
          {failingSince?.authorName && (
            <span>
              <Avatar name={failingSince.authorName} />
              {failingSince.authorName}
            </span>
          )}
          {failingSince?.sha && <code>{failingSince.sha.slice(0, 7)}</code>}
          {error !== null && <code class="whole-row">{error}</code>}
        </div>
      </div>
    </li>
  );
};

interface RunListProps extends Pick<Props, 'visit' | 'now'> {
  readonly title: string;
  readonly found: readonly RunOfProject[];
}

const RunList = ({ title, visit, found, now }: RunListProps): Html => (
  <>
    {found.length > 0 && (
      <>
        <GroupHead title={title} />
        <section class="panel" aria-label={title}>
          <ul class="rows whole">
            {found.map(({ project, run }) => (
              <RunRow visit={{ ...visit, projectId: project.projectId }} run={run} project={project.name} now={now} />
            ))}
          </ul>
        </section>
      </>
    )}
  </>
);

interface CardProps {
  readonly at: OrganizationVisit & { readonly projectId: string };
  readonly project: ProjectWithRuns['project'];
  readonly runs: readonly RunWithTotals[];
  readonly summary: ProjectSummary | undefined;
}

function ProjectCard({ at, project, runs, summary }: CardProps): Html {
  const branch = project.defaultBranchName;
  const last = summary?.last;
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
        {project.deletesAt !== undefined && (
          <p>
            Deleted. Its data is removed on <FullTime at={project.deletesAt} />.
          </p>
        )}
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
                return { outcome, label: `${getRunTitle(run.meta)}: ${label}`, href: linkToRun(at, run.runId) };
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
          <a href={addQuery(linkToProjectPage(at, 'tests'), { order: 'flakinessXSamples' })}>
            {formatRate(tests.total === 0 ? 0 : tests.flaky / tests.total)}
          </a>
        }
        note="of all executions"
      />
    </dl>
  );
}
