/** A table with caption and headings. On narrow screens the table scrolls, not the page. */
import type { Child, Html } from '#shared/engine/html/html.ts';

interface ColumnOptions {
  readonly name: string;
  readonly class?: 'wide' | 'number' | 'number wide' | 'number widest' | undefined;
  /** Link that sorts the list by this column. */
  readonly href?: string;
  readonly sort?: 'ascending' | 'descending' | undefined;
}

export type TableColumn = string | ColumnOptions;

const defineColumns =
  <const Class extends string>(kind: Class) =>
  (...names: readonly string[]) =>
    names.map((name) => ({ name, class: kind }));

/** Columns that are hidden on narrow screens. */
export const wide = defineColumns('wide');
export const numbers = defineColumns('number');
export const wideNumbers = defineColumns('number wide');
/** Columns that only large windows show. */
export const widestNumbers = defineColumns('number widest');

interface Props {
  readonly label: string;
  /** What the rows show, or how they are sorted. A table in a panel needs no caption, because the panel has a title. */
  readonly caption?: Child;
  readonly columns: readonly TableColumn[];
  readonly children?: Child;
}

export const DataTable = ({ label, caption, columns, children }: Props): Html => (
  <section class="scroll" tabindex={0} aria-label={label}>
    <table>
      {caption && <caption>{caption}</caption>}
      <thead>
        <tr>
          {columns.map((column) => (
            <Heading {...(typeof column === 'string' ? { name: column } : column)} />
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);

const Heading = ({ name, class: kind, href, sort }: ColumnOptions): Html => (
  <th scope="col" class={kind} aria-sort={sort}>
    {href === undefined ? name : <a href={href}>{name}</a>}
    {sort && <span aria-hidden="true">{sort === 'ascending' ? '\u00A0▲' : '\u00A0▼'}</span>}
  </th>
);
