/** The projects of an organization, with their latest runs. */
import type * as z from 'zod';
import { may } from '#shared/access/may.ts';
import type { ProjectSummary } from '#shared/analytics/metrics/project-summary.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { Ago, counted } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { OutcomeBadge, OutcomeMark, runOutcome } from '#shared/pages/design/outcome.tsx';
import { EmptyState, GroupHead, Notice, PageHead } from '#shared/pages/design/parts.tsx';
import { Strip } from '#shared/pages/design/strip.tsx';
import {
  accountFormHref,
  organizationHref,
  organizationPageHref,
  runHref,
  runsHref,
  withQuery,
} from '#shared/pages/shell/hrefs.ts';
import { LIST_DAYS } from '#shared/pages/shell/limits.ts';
import { PageLinks, type Paging } from '#shared/pages/shell/paging.tsx';
import type { ProjectWithRuns } from '#shared/results/latest-runs.ts';
import type { RunFeedItem } from '#shared/results/run-wire.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';
import { ProjectState } from './project-state.tsx';

interface Props {
  readonly visit: OrganizationVisit;
  readonly projects: readonly ProjectWithRuns[];
  /** The state of each project, by project id. Absent for roles that may not see aggregates. */
  readonly summaries: ReadonlyMap<string, ProjectSummary> | undefined;
  readonly paging: Paging;
  readonly now: number;
}

export const ProjectsPage = ({ visit, projects, summaries, paging, now }: Props): Html => (
  <>
    <PageHead
      title={`Projects of ${visit.organizationName}`}
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
        You signed in with a link. <a href={accountFormHref(visit, 'passkeys/new')}>Add a passkey</a> to sign in without
        one.
      </Notice>
    )}
    {projects.length === 0 ? (
      <NoProjects visit={visit} />
    ) : (
      <>
        <NeedsAttention visit={visit} projects={projects} summaries={summaries} />
        <RunningNow visit={visit} projects={projects} now={now} />
        <ProjectCards visit={visit} projects={projects} summaries={summaries} now={now} />
      </>
    )}
    <PageLinks paging={paging} href={(cursors) => withQuery(organizationHref(visit), cursors)} />
  </>
);

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

/** Projects whose default branch fails, the most failures first. */
function NeedsAttention({ visit, projects, summaries }: Pick<Props, 'visit' | 'projects' | 'summaries'>): Html {
  const failing = projects
    .flatMap(({ project }) => {
      const last = summaries?.get(project.projectId)?.last;
      return last && last.failures > 0 ? [{ project, last }] : [];
    })
    .toSorted((one, other) => other.last.failures - one.last.failures);
  if (failing.length === 0) return <></>;
  return (
    <>
      <GroupHead title="Needs attention" />
      <section class="panel" aria-label="Needs attention">
        <ul class="rows whole">
          {failing.map(({ project, last }) => (
            <li>
              <OutcomeMark outcome="failed" />
              <div class="grow">
                <a class="whole-link" href={runHref({ ...visit, projectId: project.projectId }, last.runId)}>
                  {counted(last.failures, 'test')} failing on {project.defaultBranchName}
                </a>
                <div class="meta">
                  <span>in {project.name}</span>
                </div>
              </div>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

/** The runs in progress among the latest runs of the projects. */
function RunningNow({ visit, projects, now }: Pick<Props, 'visit' | 'projects' | 'now'>): Html {
  const running = projects.flatMap(({ project, runs }) =>
    runs.filter(({ completionState }) => completionState === 'IN_PROGRESS').map((run) => ({ project, run })),
  );
  if (running.length === 0) return <></>;
  return (
    <>
      <GroupHead title="Running now" />
      <section class="panel" aria-label="Running now">
        <ul class="rows whole">
          {running.map(({ project, run }) => (
            <li>
              <OutcomeMark {...runOutcome(run)} />
              <div class="grow">
                <a class="whole-link" href={runHref({ ...visit, projectId: project.projectId }, run.runId)}>
                  {run.meta.title ?? run.meta.ciBuildId}
                </a>
                <div class="meta">
                  <span>{project.name}</span>
                  <span>{run.meta.commit.branch ?? 'no branch'}</span>
                  <span>
                    started <Ago at={run.createdAt} now={now} />
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

const ProjectCards = ({ visit, projects, summaries, now }: Omit<Props, 'paging'>): Html => (
  <>
    <GroupHead title="Projects" note={summaries && `last ${LIST_DAYS} days`} />
    <div class="cards">
      {projects.map(({ project, runs }) => (
        <ProjectCard
          at={{ ...visit, projectId: project.projectId }}
          name={project.name}
          runs={runs}
          now={now}
          summary={summaries?.get(project.projectId)}
          branch={project.defaultBranchName}
        />
      ))}
    </div>
  </>
);

interface CardProps {
  readonly at: OrganizationVisit & { readonly projectId: string };
  readonly name: string;
  readonly runs: readonly z.infer<typeof RunFeedItem>[];
  readonly now: number;
  readonly summary: ProjectSummary | undefined;
  readonly branch: string;
}

const ProjectCard = ({ at, name, runs, now, summary, branch }: CardProps): Html => (
  <section class="panel">
    <header>
      {runs[0] && <OutcomeMark {...runOutcome(runs[0])} />}
      <h3>
        <a href={runsHref(at)}>{name}</a>
      </h3>
    </header>
    <div class="pad">
      {runs[0] ? <LastRun at={at} run={runs[0]} now={now} /> : <p class="soft">no runs yet</p>}
      <RunStrip at={at} runs={runs} />
      {summary && <ProjectState at={at} summary={summary} branch={branch} />}
    </div>
  </section>
);

const LastRun = ({
  at,
  run,
  now,
}: Pick<CardProps, 'at' | 'now'> & { readonly run: z.infer<typeof RunFeedItem> }): Html => (
  <>
    <OutcomeBadge {...runOutcome(run)} /> <a href={runHref(at, run.runId)}>{run.meta.title ?? run.meta.ciBuildId}</a>
    <br />
    <small>
      {run.meta.commit.branch ?? 'no branch'} · <Ago at={run.createdAt} now={now} />
    </small>
  </>
);

const RunStrip = ({ at, runs }: Pick<CardProps, 'at' | 'runs'>): Html => (
  <Strip
    label="Runs, newest last"
    boxes={runs.map((run) => {
      const { outcome, label } = runOutcome(run);
      return { outcome, label: `${run.meta.ciBuildId}: ${label}`, href: runHref(at, run.runId) };
    })}
  />
);
