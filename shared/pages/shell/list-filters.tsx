/**
 * The filters of a page that shows results over time: runs by branch, author, tag and group, and a period of whole days
 * in UTC.
 */
import type { Html } from '#shared/engine/html/html.ts';
import { formatDate, formatQuantity, toIsoDay } from '#shared/pages/design/format.tsx';
import { DAY } from '#shared/pages/design/time-units.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { FilterBar } from './filter-bar.tsx';
import type { FilterField } from './filter-menu.tsx';
import { type Here, linkWithChanges, listParameters } from './here.ts';
import { linkToRuns } from './hrefs.ts';
import { LIST_DAYS } from './limits.ts';
import { getEndOfUtcDay } from './list-period.ts';

const listCommonFields = ({ project }: ProjectVisit): readonly FilterField[] => [
  { name: 'branches[]', label: 'Branch', icon: 'git-branch', suggestions: [project.defaultBranchName] },
  { name: 'authors[]', label: 'Author', icon: 'user' },
  { name: 'tags[]', label: 'Tag', icon: 'tag' },
  { name: 'groups[]', label: 'Group', icon: 'layers' },
];

/** Shown in empty lists, because the results of the latest run may not have been added yet. */
export const ARRIVAL = 'Results appear here within a minute after a run ends.';

export interface ShownPeriod {
  /** Both times are in epoch milliseconds, and `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

interface Props {
  readonly at: Here & { readonly visit: ProjectVisit };
  readonly period: ShownPeriod;
  /** The current time in epoch milliseconds. The periods to choose from end today. */
  readonly now: number;
  readonly search?: { readonly name: string; readonly label: string };
  /** Whether the list can be downloaded as a CSV file. */
  readonly hasFile?: boolean;
  /** Filters of this list only, shown first. */
  readonly own?: readonly FilterField[];
}

/** In days. */
const PERIODS = [7, 14, 30, 90] as const;

/** Such as `14 days`. */
export const formatDays = ({ from, to }: ShownPeriod): string => formatQuantity(Math.round((to - from) / DAY), 'day');

/** The periods to choose from that are shorter and end at the same time, longest first. */
export const listShorterPeriods = ({ from, to }: ShownPeriod): ShownPeriod[] =>
  PERIODS.map((days) => ({ from: to - days * DAY, to }))
    .filter((period) => period.from > from)
    .sort((one, other) => one.from - other.from);

/** The first day of a period of whole days that ends today. */
export const getFirstDay = (days: number, now: number): string => toIsoDay(getEndOfUtcDay(now) - days * DAY);

export function ListFilters({ at, period, now, search, hasFile = false, own = [] }: Props): Html {
  const { from, to } = period;
  const before: FilterField = {
    name: 'date_end',
    label: 'Before',
    icon: 'calendar',
    type: 'date',
    byDefault: toIsoDay(to),
  };
  const dates: FilterField = {
    name: 'date_start',
    label: 'From',
    icon: 'calendar',
    type: 'date',
    byDefault: toIsoDay(from),
    also: { menu: 'Dates', field: before },
  };
  return (
    <FilterBar
      at={at}
      search={search}
      fields={[...own, ...listCommonFields(at.visit), dates]}
      suggestionsAt={linkToRuns(at.visit)}
      periods={listPeriods(period, now)}
      note={formatPeriod(at, period)}
      fileHref={hasFile ? linkWithChanges(at, { format: 'csv' }) : undefined}
    />
  );
}

export const listPeriods = ({ from, to }: ShownPeriod, now: number) =>
  PERIODS.map((days) => ({
    name: `${days} d`,
    // The default period sets no query parameters, so that its URL always shows the most recent days.
    changes: { date_start: days === LIST_DAYS ? undefined : getFirstDay(days, now), date_end: undefined },
    isCurrent: to === getEndOfUtcDay(now) && to - from === days * DAY,
  }));

/** Such as `Runs from 9 Nov 2026 to 22 Nov 2026, UTC, all branches`. `to` is exclusive, so its day is not named. */
export function formatPeriod(at: Here, { from, to }: ShownPeriod): string {
  const branches = listParameters(at).flatMap(([name, value]) => (name === 'branches[]' ? value : []));
  const where = branches.length === 0 ? 'all branches' : branches.join(', ');
  return `Runs from ${formatDate(from)} to ${formatDate(to - 1)}, UTC, ${where}`;
}
