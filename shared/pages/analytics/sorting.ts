/** Sortable column headings. The first click sorts in descending order. */
import type { TableColumn } from '#shared/pages/design/data-table.tsx';
import { type Here, hereWith } from '#shared/pages/shell/here.ts';

interface Sorting {
  readonly at: Here;
  /** `order` or `order_by`. */
  readonly parameter: string;
  readonly order: string;
  readonly dir: 'asc' | 'desc';
}

interface SortedColumn {
  readonly name: string;
  readonly class?: 'wide' | 'number' | 'number wide';
  /**
   * Parameter values that sort by this column. The link uses the first value, unless the list is already sorted by
   * another of them.
   */
  readonly orders: readonly string[];
}

export function sortedColumn(
  { at, parameter, order, dir }: Sorting,
  { name, class: kind, orders }: SortedColumn,
): TableColumn {
  const isSorted = orders.includes(order);
  const next = isSorted && dir === 'desc' ? 'asc' : 'desc';
  return {
    name,
    class: kind,
    href: hereWith(at, { [parameter]: isSorted ? order : orders[0], dir: next }),
    sort: isSorted ? (dir === 'asc' ? 'ascending' : 'descending') : undefined,
  };
}
