/** The projects of an organization, with their latest runs. */
import type * as z from 'zod';
import { may } from '#shared/access/may.ts';
import type { ProjectSummary } from '#shared/analytics/metrics/project-summary.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, wide } from '#shared/pages/design/data-table.tsx';
import { Ago } from '#shared/pages/design/format.tsx';
import { OutcomeBadge, runOutcome } from '#shared/pages/design/outcome.tsx';
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
    <h1>Projects of {visit.organizationName}</h1>
    {visit.session.method === 'link' && (
      <p class="notice">
        You signed in with a link. <a href={accountFormHref(visit, 'passkeys/new')}>Add a passkey</a> to sign in without
        one.
      </p>
    )}
    {may(visit.person, 'projects:write') && (
      <p>
        <a class="button" href={organizationPageHref(visit, 'projects', 'new')}>
          New project
        </a>
      </p>
    )}
    {projects.length === 0 ? (
      <NoProjects visit={visit} />
    ) : (
      <ProjectTable visit={visit} projects={projects} summaries={summaries} now={now} />
    )}
    <PageLinks paging={paging} href={(cursors) => withQuery(organizationHref(visit), cursors)} />
  </>
);

const NoProjects = ({ visit }: Pick<Props, 'visit'>): Html => (
  <p class="notice">
    There are no projects yet. A project contains the runs of one product or repository.{' '}
    {may(visit.person, 'projects:write')
      ? 'Create one. Its page then shows how to record a run.'
      : 'Ask an Admin to create one.'}
  </p>
);

const ProjectTable = ({ visit, projects, summaries, now }: Omit<Props, 'paging'>): Html => (
  <DataTable
    label="Projects"
    caption="Each project with its latest runs, newest on the right"
    columns={['Project', 'Latest runs', ...(summaries ? wide(`Last ${LIST_DAYS} days`) : [])]}
  >
    {projects.map(({ project, runs }) => (
      <ProjectRow
        at={{ ...visit, projectId: project.projectId }}
        name={project.name}
        runs={runs}
        now={now}
        summary={summaries?.get(project.projectId)}
        branch={project.defaultBranchName}
      />
    ))}
  </DataTable>
);

interface RowProps {
  readonly at: OrganizationVisit & { readonly projectId: string };
  readonly name: string;
  readonly runs: readonly z.infer<typeof RunFeedItem>[];
  readonly now: number;
  readonly summary: ProjectSummary | undefined;
  readonly branch: string;
}

const ProjectRow = ({ at, name, runs, now, summary, branch }: RowProps): Html => (
  <tr>
    <th scope="row">
      <a href={runsHref(at)}>{name}</a>
    </th>
    <td>
      {runs[0] ? <LastRun at={at} run={runs[0]} now={now} /> : <span class="soft">no runs yet</span>}
      <RunStrip at={at} runs={runs} />
    </td>
    {summary && (
      <td class="wide">
        <ProjectState at={at} summary={summary} branch={branch} />
      </td>
    )}
  </tr>
);

const LastRun = ({
  at,
  run,
  now,
}: Pick<RowProps, 'at' | 'now'> & { readonly run: z.infer<typeof RunFeedItem> }): Html => (
  <>
    <OutcomeBadge {...runOutcome(run)} /> <a href={runHref(at, run.runId)}>{run.meta.title ?? run.meta.ciBuildId}</a>
    <br />
    <small>
      {run.meta.commit.branch ?? 'no branch'} · <Ago at={run.createdAt} now={now} />
    </small>
  </>
);

const RunStrip = ({ at, runs }: Pick<RowProps, 'at' | 'runs'>): Html => (
  <Strip
    label="Runs, newest last"
    boxes={runs.map((run) => {
      const { outcome, label } = runOutcome(run);
      return { outcome, label: `${run.meta.ciBuildId}: ${label}`, href: runHref(at, run.runId) };
    })}
  />
);
