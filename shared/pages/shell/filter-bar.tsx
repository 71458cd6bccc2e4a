/**
 * The search, the filters and the period of a list, in one row. All of them are in one form, which works without
 * scripts. Pressing Enter in any field applies all of them.
 */
import type { Html } from '#shared/engine/html/html.ts';
import { formatDate, toSentenceCase } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { HideButton, Segments } from '#shared/pages/design/parts.tsx';
import { type FilterField, FilterMenu, listMenuFields } from './filter-menu.tsx';
import {
  findParameterValue,
  getPath,
  type Here,
  linkWithChanges,
  linkWithoutValue,
  listFilters,
  listParameters,
  PAGE_PARAMETERS,
} from './here.ts';

interface Props {
  readonly at: Here;
  readonly search?: { readonly name: string; readonly label: string } | undefined;
  readonly fields: readonly FilterField[];
  readonly periods?: readonly {
    readonly name: string;
    readonly changes: Readonly<Record<string, string | undefined>>;
    readonly isCurrent: boolean;
  }[];
  /** A page with the same fields and suggestions, read only when a filter without suggestions is opened. */
  readonly suggestionsAt?: string;
  /** The list as a file. */
  readonly fileHref?: string | undefined;
  /** A description of what the list shows, placed at the right end of the active filters. */
  readonly note?: string;
}

export function FilterBar({ at, search, fields, periods = [], suggestionsAt, fileHref, note }: Props): Html {
  const allFields = fields.flatMap(listMenuFields);
  const fieldNames = new Set(allFields.map(({ name }) => name));
  if (search) fieldNames.add(search.name);
  const setCount = listParameters(at).filter(([name]) => fieldNames.has(name)).length;
  return (
    <search>
      <form class="filter-bar" method="get" action={getPath(at)} aria-label="Filters" data-suggestions={suggestionsAt}>
        {search && (
          <div class="search-field">
            <Icon name="search" />
            <input
              type="search"
              name={search.name}
              value={findParameterValue(at, search.name)}
              placeholder={search.label}
              aria-label={search.label}
            />
          </div>
        )}
        {search && fields.length === 0 && <button type="submit">Search</button>}
        {fields.length > 0 && (
          <>
            <button type="button" class="quiet narrow" popovertarget="filters">
              <Icon name="list-filter" size="small" />
              Filters
              {setCount > 0 && <span class="count">{setCount}</span>}
            </button>
            <div class="sheet" id="filters" popover="auto">
              <HideButton of="filters" />
              {fields.map((field) => (
                <FilterMenu at={at} field={field} />
              ))}
            </div>
          </>
        )}
        {listParameters(at)
          .filter(([name]) => !fieldNames.has(name) && !PAGE_PARAMETERS.has(name))
          .map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
        {fileHref !== undefined && (
          <a class="button quiet" href={fileHref} title="Download these rows as a CSV file">
            <Icon name="file-text" size="small" />
            CSV
          </a>
        )}
        {periods.length > 0 && (
          <Segments
            label="Period"
            choices={periods.map(({ name, changes, isCurrent }) => ({
              name,
              isCurrent,
              href: linkWithChanges(at, changes),
            }))}
          />
        )}
      </form>
      <ActiveFilters at={at} fields={allFields} search={search} note={note} />
    </search>
  );
}

const ActiveFilters = ({ at, fields, search, note }: Pick<Props, 'at' | 'fields' | 'search' | 'note'>): Html => {
  const filters = listFilters(at);
  if (filters.length === 0 && note === undefined) return <></>;
  const changes = Object.fromEntries(filters.map(([name]) => [name, undefined]));
  const describeFilter = (name: string, value: string) => {
    const date = describeDate(name, value);
    if (date) return date;
    const field = fields.find((one) => one.name === name);
    const option = field?.options?.find((one) => one.value === value);
    const label = name === search?.name ? 'Search' : (field?.label ?? makeFilterLabel(name));
    return { label: `${label} is`, text: option?.label ?? formatValue(value) };
  };
  return (
    <div class="row chips">
      {filters.map(([name, value]) => {
        const { label, text } = describeFilter(name, value);
        return (
          <a class="chip" href={linkWithoutValue(at, [name, value])} title="Remove this filter">
            <span>
              {label} <b>{text}</b>
            </span>
            <Icon name="x" size="small" />
          </a>
        );
      })}
      {filters.length > 1 && <a href={linkWithChanges(at, changes)}>Clear all</a>}
      {note && <span class="soft note">{note}</span>}
    </div>
  );
};

const ISO_DATE = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/;

/** The end of a period is exclusive. If it is the beginning of a day, people read the day before as the last one. */
function describeDate(name: string, value: string): { readonly label: string; readonly text: string } | undefined {
  const time = ISO_DATE.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) return undefined;
  if (name === 'date_start') return { label: 'From', text: formatDate(time) };
  return name === 'date_end' ? { label: 'Until', text: formatDate(time - 1) } : undefined;
}

const formatValue = (value: string): string =>
  ISO_DATE.test(value) && !Number.isNaN(Date.parse(value)) ? formatDate(Date.parse(value)) : value;

/** For a filter without a field: made from the name of its parameter, such as `error_message`. */
const makeFilterLabel = (name: string): string => toSentenceCase(name.replace('[]', '').replaceAll('_', ' '));
