/**
 * The search, the filters and the period of a list, in one row. All of them are in one form, which works without
 * scripts. Pressing Enter in any field applies all of them.
 */
import type { Html } from '#shared/engine/html/html.ts';
import { CheckField, SelectField, TextField } from '#shared/pages/design/fields.tsx';
import { formatDate, toSentenceCase } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import type { IconName } from '#shared/pages/design/icons.ts';
import { HideButton, Segments } from '#shared/pages/design/parts.tsx';
import {
  findParameterProblem,
  findParameterValue,
  getPath,
  type Here,
  linkWithChanges,
  linkWithoutValue,
  listParameters,
  OF_A_PAGE,
} from './here.ts';

export interface FilterField {
  /** The name of the query parameter, such as `branches[]`. */
  readonly name: string;
  readonly label: string;
  readonly icon: IconName;
  readonly type?: 'date' | 'text';
  /** The values that the filter accepts. Absent if it accepts any text. The empty value removes the filter. */
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  readonly suggestions?: readonly string[];
  /** The value to show in the field if the URL does not contain one, such as the first day of the default period. */
  readonly byDefault?: string | undefined;
  /** A second field in the same menu, such as the end of a period. `menu` is the common name of both fields. */
  readonly also?: { readonly menu: string; readonly field: FilterField };
}

interface Props {
  readonly at: Here;
  readonly search?: { readonly name: string; readonly label: string } | undefined;
  readonly fields: readonly FilterField[];
  readonly periods?: readonly {
    readonly name: string;
    readonly changes: Readonly<Record<string, string | undefined>>;
    readonly isCurrent: boolean;
  }[];
  /** The list as a file. */
  readonly fileHref?: string | undefined;
  /** A description of what the list shows, placed at the right end of the active filters. */
  readonly note?: string;
}

/** No filters: they sort a list, size its page, or select a page. The form keeps all but those that select a page. */
const NO_FILTERS: ReadonlySet<string> = new Set(['order', 'order_by', 'dir', 'limit', 'resolution', ...OF_A_PAGE]);

const listMenuFields = (field: FilterField): readonly FilterField[] =>
  field.also ? [field, field.also.field] : [field];

export function FilterBar({ at, search, fields, periods = [], fileHref, note }: Props): Html {
  const all = fields.flatMap(listMenuFields);
  const fieldNames = new Set([...all.map(({ name }) => name), ...(search ? [search.name] : [])]);
  const setCount = listParameters(at).filter(([name, value]) => fieldNames.has(name) && value !== '').length;
  const keptParameters = at.queryProblem === undefined ? listParameters(at) : [];
  return (
    <search>
      <form class="filter-bar" method="get" action={getPath(at)} aria-label="Filters">
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
        {keptParameters
          .filter(([name]) => !fieldNames.has(name) && !OF_A_PAGE.has(name))
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
      <ActiveFilters at={at} fields={all} search={search} note={note} />
    </search>
  );
}

function FilterMenu({ at, field }: { readonly at: Here; readonly field: FilterField }): Html {
  const { label, icon, also } = field;
  const fields = listMenuFields(field);
  const names = new Set(fields.map(({ name }) => name));
  const values = listParameters(at).filter(([other, value]) => names.has(other) && value !== '');
  const isRefused = fields.some(({ name }) => findParameterProblem(at, name) !== undefined);
  return (
    <details class={values.length > 0 ? 'menu set' : 'menu'} name="filter" open={isRefused}>
      <summary>
        <Icon name={icon} size="small" />
        {also?.menu ?? label}
        {values.length > 0 && <span class="count">{values.length}</span>}
        <Icon name="chevron-down" size="small" />
      </summary>
      <div>
        {fields.map((one) => (
          <MenuField at={at} field={one} />
        ))}
        <button type="submit" class="small">
          Apply
        </button>
      </div>
    </details>
  );
}

const SHOWN_SUGGESTIONS = 8;

/** Whether people may choose several values of the field. */
const isList = ({ name, options, type }: FilterField): boolean =>
  name.endsWith('[]') && options === undefined && type === undefined;

const listValues = (at: Here, name: string): string[] =>
  listParameters(at).flatMap(([other, value]) => (other === name ? value : []));

/** A field for dates accepts days only, and the API accepts times, too. */
const toDay = (value: string | undefined): string | undefined => value?.slice(0, 'YYYY-MM-DD'.length);

function MenuField({ at, field }: { readonly at: Here; readonly field: FilterField }): Html {
  const { name, label, type = 'text', options, suggestions = [], byDefault } = field;
  const problem = findParameterProblem(at, name);
  const sentValue = findParameterValue(at, name);
  const chosenValues = isList(field) && problem === undefined ? listValues(at, name) : [];
  const boxes = [...new Set([...chosenValues, ...(isList(field) ? suggestions : [])])].slice(0, SHOWN_SUGGESTIONS);
  const textValue = chosenValues.length > 0 ? undefined : (sentValue ?? byDefault);
  const value = type === 'date' ? toDay(textValue) : textValue;
  const list = suggestions.length > 0 ? `known-${name.replaceAll(/\W/g, '')}` : undefined;
  return (
    <>
      {boxes.length > 0 && (
        <fieldset>
          <legend>{label}</legend>
          {boxes.map((one, index) => (
            <CheckField
              label={one}
              name={name}
              of={`known-${index}`}
              value={one}
              checked={chosenValues.includes(one)}
            />
          ))}
        </fieldset>
      )}
      {options ? (
        <SelectField name={name} label={label} options={options} value={value ?? ''} problem={problem} />
      ) : (
        <TextField
          name={name}
          label={boxes.length > 0 ? 'Another' : label}
          type={type}
          value={value}
          problem={problem}
          list={list}
        />
      )}
      {list && (
        <datalist id={list}>
          {suggestions.map((one) => (
            <option value={one} />
          ))}
        </datalist>
      )}
    </>
  );
}

const ActiveFilters = ({ at, fields, search, note }: Pick<Props, 'at' | 'fields' | 'search' | 'note'>): Html => {
  const active = listParameters(at).filter(([name, value]) => value !== '' && !NO_FILTERS.has(name));
  if (active.length === 0 && note === undefined) return <></>;
  const changes = Object.fromEntries(active.map(([name]) => [name, undefined]));
  return (
    <div class="row chips">
      {active.map(([name, value]) => {
        const field = fields.find((one) => one.name === name);
        return (
          <a class="chip" href={linkWithoutValue(at, [name, value])} title="Remove this filter">
            <span>
              {name === search?.name ? 'Search' : (field?.label ?? makeFilterLabel(name))} is{' '}
              <b>{field?.options?.find((one) => one.value === value)?.label ?? formatValue(value)}</b>
            </span>
            <Icon name="x" size="small" />
          </a>
        );
      })}
      {active.length > 1 && <a href={linkWithChanges(at, changes)}>Clear all</a>}
      {note && <span class="soft note">{note}</span>}
    </div>
  );
};

const ISO_DATE = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/;

const formatValue = (value: string): string =>
  ISO_DATE.test(value) && !Number.isNaN(Date.parse(value)) ? formatDate(Date.parse(value)) : value;

/** For a filter without a field: made from the name of its parameter, such as `error_message`. */
const makeFilterLabel = (name: string): string => toSentenceCase(name.replace('[]', '').replaceAll('_', ' '));
