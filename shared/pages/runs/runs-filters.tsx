/** The filters of the list of runs. In the URL, they have the same names as the parameters of the API. */
import type { Html } from '#shared/engine/html/html.ts';
import { Segments } from '#shared/pages/design/parts.tsx';
import { FilterBar } from '#shared/pages/shell/filter-bar.tsx';
import type { Here } from '#shared/pages/shell/here.ts';
import { linkToRuns } from '#shared/pages/shell/hrefs.ts';
import type { RunsFilter } from '#shared/results/filter-wire.ts';
import type { RunWithTotals } from '#shared/results/runs/list-runs.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

/** The query parameters of the list of runs. A filter that is not set is `undefined`. */
type RunSearch = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The filters that accept several values. */
const LISTS = ['branches', 'tags', 'authors', 'environments', 'status', 'completion_state'] as const;

export function toRunSearch(query: RunsFilter): RunSearch {
  const formatTime = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());
  return {
    ...Object.fromEntries(LISTS.map((name) => [`${name}[]`, query[name]?.length ? query[name] : undefined])),
    date_start: formatTime(query.date_start),
    date_end: formatTime(query.date_end),
    search: query.search,
    pr_id: query.pr_id,
    tag_operator: query.tag_operator === 'OR' ? 'OR' : undefined,
  };
}

export const RUN_STATES = ['', 'PASSED', 'FAILED', 'FAILING', 'RUNNING'].map((value) => ({
  value,
  label: value === '' ? 'any' : value.toLowerCase(),
}));

const COMPLETION_STATES = [
  { value: '', label: 'any' },
  { value: 'COMPLETE', label: 'complete' },
  { value: 'IN_PROGRESS', label: 'in progress' },
  { value: 'CANCELED', label: 'cancelled' },
  { value: 'TIMEOUT', label: 'timed out' },
];

interface FiltersProps {
  readonly at: Here;
  readonly runs: readonly RunWithTotals[];
}

export const listDistinctValues = (values: readonly (string | null)[]): string[] => [
  ...new Set(values.filter((value) => value !== null)),
];

/** Suggests values from the runs on the page, because that needs no further database reads. */
export const RunFilters = ({ at, runs }: FiltersProps): Html => (
  <FilterBar
    at={at}
    search={{ name: 'search', label: 'Build id or commit message' }}
    fields={[
      {
        name: 'branches[]',
        label: 'Branch',
        icon: 'git-branch',
        suggestions: listDistinctValues(runs.map(({ meta }) => meta.commit.branch)),
      },
      {
        name: 'authors[]',
        label: 'Author',
        icon: 'user',
        suggestions: listDistinctValues(runs.map(({ meta }) => meta.commit.authorEmail ?? meta.commit.authorName)),
      },
      { name: 'tags[]', label: 'Tag', icon: 'tag', suggestions: listDistinctValues(runs.flatMap(({ tags }) => tags)) },
      { name: 'status[]', label: 'Outcome', icon: 'circle-check', options: RUN_STATES },
      { name: 'completion_state[]', label: 'State', icon: 'circle-dashed', options: COMPLETION_STATES },
      {
        name: 'date_start',
        label: 'From',
        icon: 'calendar',
        type: 'date',
        also: { menu: 'Dates', field: { name: 'date_end', label: 'Before', icon: 'calendar', type: 'date' } },
      },
    ]}
  />
);

export function RunPresets({ visit, search }: { readonly visit: ProjectVisit; readonly search: RunSearch }): Html {
  const presets: Readonly<Record<string, RunSearch>> = {
    All: {},
    'Default branch': { 'branches[]': [visit.project.defaultBranchName] },
    Failed: { 'status[]': ['FAILED', 'FAILING'] },
    'In progress': { 'completion_state[]': ['IN_PROGRESS'] },
    Mine: { 'authors[]': [visit.account.email] },
  };
  return (
    <Segments
      label="Common filters"
      choices={Object.entries(presets).map(([name, query]) => ({
        name,
        href: linkToRuns(visit, query),
        // JSON leaves out the filters that are not set, and each preset sets one filter at most.
        isCurrent: JSON.stringify(query) === JSON.stringify(search),
      }))}
    />
  );
}
