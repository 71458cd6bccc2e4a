/** Links to newer and older rows, for lists that are paginated with cursors. */
import type { Html } from '#shared/engine/html/html.ts';

export interface Paging {
  readonly query: { readonly starting_after?: string | undefined; readonly ending_before?: string | undefined };
  readonly data: readonly { readonly cursor: string }[];
  readonly hasMore: boolean;
}

interface Props {
  readonly paging: Paging;
  /** The URL of this list with its filters and these cursors. */
  readonly href: (cursors: Record<'starting_after' | 'ending_before', string | undefined>) => string;
}

/**
 * The links to newer and older items. `hasMore` tells whether there are more items in the current reading direction:
 * toward newer items if the person followed a link to newer items, and toward older items otherwise.
 */
export function PageLinks({ paging: { query, data, hasMore }, href }: Props): Html {
  const first = data[0];
  const last = data.at(-1);
  const isBack = query.ending_before !== undefined;
  const newer = (isBack ? hasMore : query.starting_after !== undefined) && first;
  const older = (isBack || hasMore) && last;
  return (
    <nav class="pages" aria-label="Pages">
      <span>
        {newer && (
          <a rel="prev" href={href({ starting_after: undefined, ending_before: newer.cursor })}>
            ← Newer
          </a>
        )}
      </span>
      <span>
        {older && (
          <a rel="next" href={href({ starting_after: older.cursor, ending_before: undefined })}>
            Older →
          </a>
        )}
      </span>
    </nav>
  );
}
