/** The filters of a list over time: a form that works without script, and a link that removes each active filter. */
import type { Html } from '#shared/engine/html/html.ts';
import { TextField } from '#shared/pages/design/fields.tsx';
import { dateText } from '#shared/pages/design/format.tsx';
import { type Here, hereWithout, parametersOf, pathOf, problemOfParameter, valueIn } from './here.ts';

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: 'date' | 'search';
}

/** Filters for runs, which every list over time has. */
const COMMON: readonly Field[] = [
  { name: 'branches[]', label: 'Branch' },
  { name: 'authors[]', label: 'Author' },
  { name: 'tags[]', label: 'Tag' },
  { name: 'groups[]', label: 'Group' },
];

const DATES: readonly Field[] = [
  { name: 'date_start', label: 'From', type: 'date' },
  { name: 'date_end', label: 'Before', type: 'date' },
];

/** Parameters that are not filters. */
const ORDER = ['order', 'order_by', 'dir', 'limit', 'page', 'resolution'];

/** The text that explains why an empty list may just be early. */
export const ARRIVAL = 'Results appear here within a minute after a run ends.';

export interface ShownPeriod {
  /** Milliseconds. */
  readonly from: number;
  readonly to: number;
}

interface Props {
  readonly at: Here;
  readonly period: ShownPeriod;
  /** Filters of this list only, shown first. */
  readonly own?: readonly Field[];
}

export function ListFilters({ at, period, own = [] }: Props): Html {
  const fields = [...own, ...COMMON, ...DATES];
  const active = parametersOf(at).filter(([name]) => !ORDER.includes(name));
  const hidden = at.queryProblem === undefined ? parametersOf(at) : [];
  const others = hidden.filter(([name]) => name !== 'page' && fields.every((field) => field.name !== name));
  return (
    <>
      <details open={active.length > 0}>
        <summary>Filters</summary>
        <form class="filters" method="get" action={pathOf(at)} aria-label="Filters">
          {fields.map(({ name, label, type }) => (
            <TextField
              name={name}
              label={label}
              type={type ?? 'text'}
              value={shown(at, name, period)}
              problem={problemOfParameter(at, name)}
            />
          ))}
          {others.map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <button type="submit">Filter</button>
        </form>
      </details>
      <Active at={at} active={active} />
      <p class="soft">{periodText(at, period)}</p>
    </>
  );
}

const Active = ({ at, active }: Pick<Props, 'at'> & { readonly active: readonly [string, string][] }): Html => (
  <>
    {active.length > 0 && (
      <ul class="tags" aria-label="Active filters">
        {active.map(([name, value]) => (
          <li>
            <a href={hereWithout(at, [name, value])} title="Remove this filter">
              {name.replace('[]', '')}: {value} ✕
            </a>
          </li>
        ))}
      </ul>
    )}
  </>
);

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

function shown(at: Here, name: string, { from, to }: ShownPeriod): string | undefined {
  if (problemOfParameter(at, name) !== undefined) return valueIn(at, name);
  if (name === 'date_start') return day(from);
  return name === 'date_end' ? day(to) : valueIn(at, name);
}

/** The shown period, such as `9 Nov 2026 to 22 Nov 2026, UTC, all branches`. The end is exclusive. */
export function periodText(at: Here, { from, to }: ShownPeriod): string {
  const branches = parametersOf(at).flatMap(([name, value]) => (name === 'branches[]' ? value : []));
  const where = branches.length === 0 ? 'all branches' : branches.join(', ');
  return `Runs from ${dateText(from)} to ${dateText(to - 1)}, UTC, ${where}`;
}
