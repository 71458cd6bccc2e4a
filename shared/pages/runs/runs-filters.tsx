/** The filters of the list of runs. In the URL, they have the same names as the parameters of the API. */
import type { Html } from '#shared/engine/html/html.ts';
import { Segments } from '#shared/pages/design/parts.tsx';
import { FilterBar } from '#shared/pages/shell/filter-bar.tsx';
import type { Here } from '#shared/pages/shell/here.ts';
import { runsHref } from '#shared/pages/shell/hrefs.ts';
import type { RunsFilter } from '#shared/results/filter-wire.ts';
import type { RunWithTotals } from '#shared/results/list-runs.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

type Search = Readonly<Record<string, string | readonly string[]>>;

const LISTS = ['branches', 'tags', 'authors', 'environments', 'status', 'completion_state'] as const;

/** Converts the filters to query parameters. Leaves out filters that are not set. */
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
  readonly at: Here;
  readonly runs: readonly Pick<RunWithTotals, 'meta' | 'tags'>[];
}

const distinct = (values: readonly (string | null)[]): string[] => [
  ...new Set(values.filter((value) => value !== null)),
];

/**
 * The filter bar of the list of runs. It suggests values from the runs on the page, because that needs no further
 * database reads.
 */
export const RunFilters = ({ at, runs }: FiltersProps): Html => (
  <FilterBar
    at={at}
    search={{ name: 'search', label: 'Build id or commit message' }}
    fields={[
      {
        name: 'branches[]',
        label: 'Branch',
        icon: 'git-branch',
        suggestions: distinct(runs.map(({ meta }) => meta.commit.branch)),
      },
      {
        name: 'authors[]',
        label: 'Author',
        icon: 'user',
        suggestions: distinct(runs.map(({ meta }) => meta.commit.authorEmail ?? meta.commit.authorName)),
      },
      { name: 'tags[]', label: 'Tag', icon: 'tag', suggestions: distinct(runs.flatMap(({ tags }) => tags)) },
      { name: 'status[]', label: 'Outcome', icon: 'circle-check', options: STATES },
      { name: 'completion_state[]', label: 'State', icon: 'circle-dashed', options: ENDS },
    ]}
  />
);

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
  <Segments
    label="Common filters"
    choices={[
      { name: 'All', href: runsHref(visit), isCurrent: Object.keys(search).length === 0 },
      ...presetsOf(visit).map(({ name, query }) => ({
        name,
        href: runsHref(visit, query),
        isCurrent: JSON.stringify(query) === JSON.stringify(search),
      })),
    ]}
  />
);
