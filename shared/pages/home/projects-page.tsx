/** The projects of an organization, with their latest runs. */
import { may } from '#shared/access/may.ts';
import type { ProjectSummary } from '#shared/analytics/metrics/project-summary.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DayBars } from '#shared/pages/design/day-bars.tsx';
import { Ago, counted, durationText, FullTime, rateText } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { OutcomeBadge, OutcomeMark, runOutcome } from '#shared/pages/design/outcome.tsx';
import { Avatar, EmptyState, GroupHead, Notice, PageHead, Tile } from '#shared/pages/design/parts.tsx';
import { Strip } from '#shared/pages/design/strip.tsx';
import {
  accountFormHref,
  organizationHref,
  organizationPageHref,
  projectPageHref,
  runHref,
  runPageHref,
  runsHref,
  testOfRunHref,
  withQuery,
} from '#shared/pages/shell/hrefs.ts';
import { LIST_DAYS } from '#shared/pages/shell/limits.ts';
import { PageLinks, type Paging } from '#shared/pages/shell/paging.tsx';
import { RunRow } from '#shared/pages/shell/run-row.tsx';
import type { ComparedTest } from '#shared/results/comparison-wire.ts';
import type { ProjectWithRuns } from '#shared/results/latest-runs.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import type { RunWithTotals } from '#shared/results/list-runs.ts';
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
  const runs = runsOf(projects);
  return (
    <>
      <PageHead
        title="Overview"
        actions={
          may(visit.person, 'projects:write') && (
            <a class="button" href={organizationPageHref(visit, 'projects', 'new')}>
              <Icon name="plus" />
              New project
            </a>
          )
        }
      />
      {visit.session.method === 'link' && (
        <Notice>
          You signed in with a link. <a href={accountFormHref(visit, 'passkeys/new')}>Add a passkey</a> to sign in
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
            {projects.map(({ project, runs: own }) => (
              <ProjectCard
                at={{ ...visit, projectId: project.projectId }}
                project={project}
                runs={own}
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
      <PageLinks paging={paging} href={(cursors) => withQuery(organizationHref(visit), cursors)} />
    </>
  );
}

/** The number of runs in the list “Latest runs”. */
const LATEST_RUNS = 8;

interface RunOfProject {
  readonly project: ProjectWithRuns['project'];
  readonly run: RunWithTotals;
}

const isRunning = ({ run }: RunOfProject): boolean => run.completionState === 'IN_PROGRESS';

/** The latest runs of all projects, newest first. */
const runsOf = (projects: readonly ProjectWithRuns[]): RunOfProject[] =>
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

/** Failing tests and unusually slow runs of the default branches. */
function NeedsAttention({ visit, projects, summaries, failing, now }: Omit<Props, 'paging'>): Html {
  const slow = projects.flatMap(({ project, runs }) => {
    const usual = 1000 * (summaries?.get(project.projectId)?.overall.runs.avgDurationSeconds ?? 0);
    const newest = runs.find(
      ({ completionState, meta }) => completionState === 'COMPLETE' && meta.commit.branch === project.defaultBranchName,
    );
    return newest?.durationMs && usual > 0 && newest.durationMs >= SLOW_TIMES * usual
      ? [{ project, run: newest, milliseconds: newest.durationMs, usual }]
      : [];
  });
  if (failing.length + slow.length === 0) return <></>;
  return (
    <>
      <GroupHead title="Needs attention" note="on the default branches" />
      <section class="panel" aria-label="Needs attention">
        <ul class="rows whole">
          {failing.map((one) => (
            <FailingRows visit={visit} failing={one} now={now} />
          ))}
          {slow.map(({ project, run, milliseconds, usual }) => (
            <li>
              <Icon name="clock" />
              <div class="grow">
                <a class="whole-link" href={runPageHref({ ...visit, ...project }, run.runId, 'timeline')}>
                  The latest complete run took {(milliseconds / usual).toFixed(1)} times as long as usual
                </a>
                <div class="meta">
                  <span>in {project.name}</span>
                  <span>
                    {durationText(milliseconds)}, {durationText(usual)} on average
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
  const shown = bySignature.slice(0, RESULT_LIMITS.attention.tests);
  const others = last.failures - shown.flat().length;
  return (
    <>
      {shown.map((results) => (
        <FailingTest at={at} name={project.name} results={results} now={now} />
      ))}
      {others > 0 && (
        <li>
          <OutcomeMark outcome="failed" />
          <div class="grow">
            <a class="whole-link" href={runHref(at, last.runId)}>
              {counted(others, tests.length === 0 ? 'test' : 'more test')} failing on {project.defaultBranchName}
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
        <a class="whole-link" href={testOfRunHref(at, test)}>
          {title.length > 1 && <span class="soft">{title.slice(0, -1).join(' › ')} › </span>}
          {title.at(-1)}
        </a>
        <div class="meta">
          <span>in {name}</span>
          {results.length > 1 && <span>{results.map(({ groupId }) => groupId).join(', ')}</span>}
          {failingSince && (
            <span>
              failed in {counted(failingSince.failures, 'run')}, first <Ago at={failingSince.createdAt} now={now} />
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
        {runs[0] && <OutcomeMark {...runOutcome(runs[0])} />}
        <h3>
          <a href={runsHref(at)}>{project.name}</a>
        </h3>
        <span class="grow" />
        {last && (
          <a href={runHref(at, last.runId)}>
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
            No results yet. <a href={runsHref(at)}>Send the first results</a>
          </p>
        ) : (
          <Strip
            label="Runs, newest last"
            boxes={runs.map((run) => {
              const { outcome, label } = runOutcome(run);
              return { outcome, label: `${run.meta.ciBuildId}: ${label}`, href: runHref(at, run.runId) };
            })}
          />
        )}
        {numbers && <DayBars title="Failed runs" days={numbers.days} />}
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
  const ended = runs.passed + runs.failed;
  return (
    <dl class="summary">
      <Tile
        label="Passed"
        value={ended === 0 ? '–' : rateText(runs.passed / ended)}
        note={`of ${counted(ended, 'run')}`}
      />
      <Tile
        label="Duration"
        value={runs.avgDurationSeconds > 0 ? durationText(runs.avgDurationSeconds * 1000) : '–'}
        note="on average"
      />
      <Tile
        label="Flaky"
        value={
          <a href={withQuery(projectPageHref(at, 'tests'), { order: 'flakinessXSamples' })}>
            {rateText(tests.total === 0 ? 0 : tests.flaky / tests.total)}
          </a>
        }
        note="of all executions"
      />
    </dl>
  );
}
