/** The filters of the runs feed. In the URL they have the names of the API's parameters. */
import type { Html } from '#shared/engine/html/html.ts';
import { SelectField, TextField } from '#shared/pages/design/fields.tsx';
import { type Here, problemOfParameter, valueIn } from '#shared/pages/shell/here.ts';
import { runsHref } from '#shared/pages/shell/hrefs.ts';
import type { RunsFilter } from '#shared/results/filter-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

type Search = Readonly<Record<string, string | readonly string[]>>;

const LISTS = ['branches', 'tags', 'authors', 'environments', 'status', 'completion_state'] as const;

/** The filters as query parameters, without absent ones. */
export function searchOf(query: RunsFilter): Search {
  const dates = { date_start: query.date_start, date_end: query.date_end };
  const pairs: [string, string | readonly string[]][] = [
    ...LISTS.flatMap((name): [string, readonly string[]][] => {
      const values = query[name] ?? [];
      return values.length > 0 ? [[`${name}[]`, values]] : [];
    }),
    ...Object.entries(dates).flatMap(([name, at]): [string, string][] =>
      at === undefined ? [] : [[name, new Date(at).toISOString()]],
    ),
    ...(query.search === undefined ? [] : [['search', query.search] as [string, string]]),
    ...(query.pr_id === undefined ? [] : [['pr_id', query.pr_id] as [string, string]]),
    ...(query.tag_operator === 'OR' ? [['tag_operator', 'OR'] as [string, string]] : []),
  ];
  return Object.fromEntries(pairs);
}

const STATES = ['', 'PASSED', 'FAILED', 'FAILING', 'RUNNING'].map((value) => ({
  value,
  label: value === '' ? 'any' : value.toLowerCase(),
}));

const ENDS = [
  { value: '', label: 'any' },
  { value: 'COMPLETE', label: 'complete' },
  { value: 'IN_PROGRESS', label: 'in progress' },
  { value: 'CANCELED', label: 'cancelled' },
  { value: 'TIMEOUT', label: 'timed out' },
];

interface FiltersProps {
  readonly visit: ProjectVisit;
  readonly at: Here;
  readonly query: RunsFilter;
}

export function RunFilters({ visit, at, query }: FiltersProps): Html {
  // An invalid filter keeps its value, so that people can correct it.
  const field = (name: string, value: string | undefined) => {
    const problem = problemOfParameter(at, name);
    return { name, problem, value: problem === undefined ? value : valueIn(at, name) };
  };
  const select = (name: string, value: string | undefined) => ({ ...field(name, value), value: value ?? '' });
  return (
    <details open={Object.keys(searchOf(query)).length > 0 || at.queryProblem !== undefined}>
      <summary>Filters</summary>
      <form class="filters" method="get" action={runsHref(visit)} aria-label="Filters">
        <TextField label="Build id or commit message" type="search" {...field('search', query.search)} />
        <TextField label="Branch" {...field('branches[]', query.branches?.[0])} />
        <TextField label="Author" {...field('authors[]', query.authors?.[0])} />
        <TextField label="Tag" {...field('tags[]', query.tags?.[0])} />
        <SelectField label="Outcome" options={STATES} {...select('status[]', query.status?.[0])} />
        <SelectField label="State" options={ENDS} {...select('completion_state[]', query.completion_state?.[0])} />
        <button type="submit">Filter</button>
      </form>
    </details>
  );
}

interface Preset {
  readonly name: string;
  readonly query: Search;
}

const presetsOf = ({ project, account }: ProjectVisit): readonly Preset[] => [
  { name: 'Default branch', query: { 'branches[]': [project.defaultBranchName] } },
  { name: 'Failed', query: { 'status[]': ['FAILED', 'FAILING'] } },
  { name: 'In progress', query: { 'completion_state[]': ['IN_PROGRESS'] } },
  { name: 'Mine', query: { 'authors[]': [account.email] } },
];

/** Links to common filters. */
export const RunPresets = ({ visit, search }: { readonly visit: ProjectVisit; readonly search: Search }): Html => (
  <nav aria-label="Common filters">
    <ul class="counts">
      {presetsOf(visit).map(({ name, query }) => (
        <li>
          <a
            href={runsHref(visit, query)}
            aria-current={JSON.stringify(query) === JSON.stringify(search) ? 'page' : undefined}
          >
            {name}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

/** The active filters, each with a link that removes it. */
export const ActiveFilters = ({ visit, search }: { readonly visit: ProjectVisit; readonly search: Search }): Html => (
  <>
    {Object.keys(search).length > 0 && (
      <ul class="tags" aria-label="Active filters">
        {Object.entries(search).map(([name, value]) => {
          const { [name]: _removed, ...others } = search;
          return (
            <li>
              <a href={runsHref(visit, others)} title="Remove this filter">
                {name.replace('[]', '')}: {[value].flat().join(', ')} ✕
              </a>
            </li>
          );
        })}
      </ul>
    )}
  </>
);
