/** What lists do not say by themselves. Models take an empty list for "there is none". */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { PageQuery } from '#shared/engine/http/pagination.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { getRunsSpan, runs, runsOfProject } from '#shared/model/runs/run.ts';
import type { TermType } from '#shared/model/runs/term.ts';
import type { Services } from '#shared/services.ts';
import type { RunsFilter } from './filter-wire.ts';
import { listRuns } from './runs/list-runs.ts';
import { listTerms } from './runs/list-terms.ts';

interface ListedRuns {
  readonly project: ProjectKey;
  readonly query: RunsFilter & PageQuery;
  readonly runs: readonly { readonly runId: string }[];
}

/**
 * The first page of a list with a filter by status says which run is the newest without this filter: a failed run of
 * yesterday is not the state of a branch that passed today. An empty list says which values exist.
 */
export async function noteOtherRuns(
  services: Services,
  { project, query, runs }: ListedRuns,
): Promise<string | undefined> {
  if (query.starting_after !== undefined) return undefined;
  const { status, completion_state, ...others } = query;
  if (status === undefined && completion_state === undefined)
    return runs.length > 0 ? undefined : noteExistingValues(services, project, query);
  const page = await listRuns(services, { ...project, query: { ...others, limit: 1 } });
  const [run] = page.data;
  if (!run) return noteExistingValues(services, project, query);
  if (run.runId === runs[0]?.runId) return undefined;
  const filters = Object.values(others).some(Array.isArray) ? 'with the other filters' : 'of the project';
  return `The newest run ${filters} is ${run.runId}: ${run.status}, ${run.completionState}, created ${run.createdAt}. ${
    runs.length > 0
      ? 'All runs in this list are older, so they do not show the current state'
      : 'No run has the status that the filter names'
  }.`;
}

/** The most recently used values of filters that were sent. */
async function noteExistingValues(services: Services, project: ProjectKey, query: RunsFilter): Promise<string> {
  const types: readonly TermType[] = [
    ...(query.branches ? (['branch'] as const) : []),
    ...(query.tags ? (['tag'] as const) : []),
    ...(query.authors ? (['authorName'] as const) : []),
  ];
  const values = await Promise.all(
    types.map(async (termType) => {
      const page = await listTerms(services, { ...project, termType, query: { limit: SHOWN_VALUES, dir: 'desc' } });
      const texts = page.data.map(({ value }) => JSON.stringify(value));
      const more = page.has_more ? ', and more: call list_terms' : '';
      return `${NOUNS[termType]} with runs, latest first: ${texts.length > 0 ? texts.join(', ') : 'none'}${more}.`;
    }),
  );
  return ['No run matches.', ...values].join(' ');
}

/** An agent in a checkout knows its repository, but not the name or id of the project. */
export async function noteRepositories(
  { table }: Services,
  projects: readonly Pick<ProjectKey, 'organizationId' | 'projectId'>[],
): Promise<string | undefined> {
  const repositories = await mapConcurrently(projects, async (project) => {
    const { rows } = await table.query(runsOfProject, getRunsSpan(project), { limit: 1, newestFirst: true });
    const [run] = await table.getMany(
      runs,
      rows.map(({ item }) => item),
    );
    const repository = run?.commit.remoteOrigin;
    return repository ? `${project.projectId} ${JSON.stringify(repository)}` : undefined;
  });
  const texts = repositories.filter((repository) => repository !== undefined);
  return texts.length > 0 ? `Repositories of the newest runs, by project: ${texts.join(', ')}.` : undefined;
}

const SHOWN_VALUES = 10;
const NOUNS: Readonly<Partial<Record<TermType, string>>> = { branch: 'Branches', tag: 'Tags', authorName: 'Authors' };
