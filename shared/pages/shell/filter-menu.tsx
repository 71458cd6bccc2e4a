/** The menu of one filter: a choice of values, a field for a text or a date, or both. */
import type { Html } from '#shared/engine/html/html.ts';
import { CheckField, SelectField, TextField } from '#shared/pages/design/fields.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import type { IconName } from '#shared/pages/design/icons.ts';
import { findParameterProblem, findParameterValue, type Here, listParameters } from './here.ts';

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

export const listMenuFields = (field: FilterField): readonly FilterField[] =>
  field.also ? [field, field.also.field] : [field];

export function FilterMenu({ at, field }: { readonly at: Here; readonly field: FilterField }): Html {
  const { label, icon, also } = field;
  const fields = listMenuFields(field);
  const names = new Set(fields.map(({ name }) => name));
  const values = listParameters(at).filter(([name]) => names.has(name));
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

/** Addresses may have times, which the API accepts. A field for dates accepts days only. */
const toDay = (time: string | undefined): string | undefined => time?.slice(0, 'YYYY-MM-DD'.length);

function MenuField({ at, field }: { readonly at: Here; readonly field: FilterField }): Html {
  const { name, label, type = 'text', options, suggestions = [], byDefault } = field;
  const problem = findParameterProblem(at, name);
  const sentValue = findParameterValue(at, name);
  const chosenValues = isList(field) && problem === undefined ? listValues(at, name) : [];
  const suggestedValues = isList(field) ? suggestions : [];
  const boxes = [...new Set([...chosenValues, ...suggestedValues])].slice(0, SHOWN_SUGGESTIONS);
  // Values with a checked box do not stand in the text field as well.
  const textValue = chosenValues.length > 0 ? undefined : (sentValue ?? byDefault);
  const value = type === 'date' ? toDay(textValue) : textValue;
  const list = isList(field) ? `known-${name.replaceAll(/\W/g, '')}` : undefined;
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
