/** The projects of an organization, with their latest runs. */
import { may } from '#shared/access/may.ts';
import type { ProjectSummary } from '#shared/analytics/metrics/project-summary.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import { EmptyState, GroupHead, Notice, PageHead } from '#shared/pages/design/parts.tsx';
import { addQuery, linkToAccountForm, linkToOrganization, linkToOrganizationPage } from '#shared/pages/shell/hrefs.ts';
import { LIST_DAYS } from '#shared/pages/shell/limits.ts';
import { PageLinks, type Paging } from '#shared/pages/shell/paging.tsx';
import { RunRow } from '#shared/pages/shell/run-row.tsx';
import type { ProjectWithRuns } from '#shared/results/runs/latest-runs.ts';
import type { RunWithTotals } from '#shared/results/runs/list-runs.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';
import { type FailingProject, NeedsAttention, type SlowRun } from './needs-attention.tsx';
import { ProjectCard } from './project-card.tsx';

interface Props {
  readonly visit: OrganizationVisit;
  readonly projects: readonly ProjectWithRuns[];
  /** The summary of each project, by project id. Absent for roles that may not see analytics. */
  readonly summaries: ReadonlyMap<string, ProjectSummary> | undefined;
  readonly failing: readonly FailingProject[];
  readonly slow: readonly SlowRun[];
  readonly paging: Paging;
  readonly now: number;
}

export function ProjectsPage({ visit, projects, summaries, failing, slow, paging, now }: Props): Html {
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
          <NeedsAttention visit={visit} failing={failing} slow={slow} now={now} />
          <RunList title="Running now" visit={visit} runs={runs.filter(isRunning)} now={now} />
          <GroupHead title="Projects" note={summaries && `last ${LIST_DAYS} days`} />
          <div class="cards">
            {putDeletedLast(projects).map(({ project, runs: projectRuns }) => (
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
            runs={runs.filter((one) => !isRunning(one)).slice(0, LATEST_RUNS)}
            now={now}
          />
        </>
      )}
      <PageLinks paging={paging} href={(cursors) => addQuery(linkToOrganization(visit), cursors)} />
    </>
  );
}

const putDeletedLast = (projects: Props['projects']): Props['projects'] =>
  projects.toSorted((one, other) => Number(isDeleted(one)) - Number(isDeleted(other)));

const isDeleted = ({ project }: ProjectWithRuns): boolean => project.deletesAt !== undefined;

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

interface RunListProps extends Pick<Props, 'visit' | 'now'> {
  readonly title: string;
  readonly runs: readonly RunOfProject[];
}

const RunList = ({ title, visit, runs, now }: RunListProps): Html => (
  <>
    {runs.length > 0 && (
      <>
        <GroupHead title={title} />
        <section class="panel" aria-label={title}>
          <ul class="rows whole">
            {runs.map(({ project, run }) => (
              <RunRow visit={{ ...visit, projectId: project.projectId }} run={run} project={project.name} now={now} />
            ))}
          </ul>
        </section>
      </>
    )}
  </>
);
