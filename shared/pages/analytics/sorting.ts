/** Sortable column headings. The first click sorts in descending order. */
import type { TableColumn } from '#shared/pages/design/data-table.tsx';
import { type Here, hereWith } from '#shared/pages/shell/here.ts';

interface Sorting<Order> {
  readonly at: Here;
  /** The query parameter that contains the order. Default: `order`. */
  readonly parameter?: string;
  readonly order: Order;
  readonly dir: 'asc' | 'desc';
}

/**
 * Returns a function that makes the columns of a list. `orders`: the parameter values that sort by the column. The link
 * uses the first value, unless the list is already sorted by another of them.
 */
export const sortedColumns =
  <Order extends string>({ at, parameter = 'order', order, dir }: Sorting<Order>) =>
  (name: string, orders: readonly Order[], kind?: 'number' | 'number wide'): TableColumn => {
    const isSorted = orders.includes(order);
    const next = isSorted && dir === 'desc' ? 'asc' : 'desc';
    return {
      name,
      class: kind,
      href: hereWith(at, { [parameter]: isSorted ? order : orders[0], dir: next }),
      sort: isSorted ? (dir === 'asc' ? 'ascending' : 'descending') : undefined,
    };
  };
