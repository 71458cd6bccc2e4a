/** Sortable column headings. The first click sorts in descending order. */
import type { TableColumn } from '#shared/pages/design/data-table.tsx';
import { type Here, linkWithChanges } from '#shared/pages/shell/here.ts';

interface Sorting<Order> {
  readonly at: Here;
  /** The query parameter that contains the order. Default: `order`. */
  readonly parameter?: string;
  readonly order: Order;
  readonly dir: 'asc' | 'desc';
}

/** `orders` are the values that sort by the column. The link uses the first, unless the list is sorted by another. */
export const makeSortableColumns =
  <Order extends string>({ at, parameter = 'order', order, dir }: Sorting<Order>) =>
  (name: string, orders: readonly Order[], kind?: 'number' | 'number wide'): TableColumn => {
    if (!orders.includes(order))
      return { name, class: kind, href: linkWithChanges(at, { [parameter]: orders[0], dir: 'desc' }) };
    return {
      name,
      class: kind,
      href: linkWithChanges(at, { [parameter]: order, dir: dir === 'desc' ? 'asc' : 'desc' }),
      sort: dir === 'asc' ? 'ascending' : 'descending',
    };
  };
