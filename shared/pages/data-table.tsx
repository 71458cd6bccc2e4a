/** A table with its caption and headings. Narrow screens scroll the table, not the page. */
import type { Child, Html } from '#shared/engine/html/html.ts';

type Column = string | { readonly name: string; readonly class: 'wide' | 'number' | 'number wide' };

const columnsOf =
  <const Class extends string>(kind: Class) =>
  (...names: readonly string[]) =>
    names.map((name) => ({ name, class: kind }));

/** Columns that are hidden on narrow screens. */
export const wide = columnsOf('wide');
export const numbers = columnsOf('number');
export const wideNumbers = columnsOf('number wide');

interface Props {
  readonly label: string;
  readonly caption: Child;
  readonly columns: readonly Column[];
  /** The rows. */
  readonly children?: Child;
}

export const DataTable = ({ label, caption, columns, children }: Props): Html => (
  <section class="scroll" tabindex={0} aria-label={label}>
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) =>
            typeof column === 'string' ? (
              <th scope="col">{column}</th>
            ) : (
              <th scope="col" class={column.class}>
                {column.name}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);
