/** Links to the previous and next page, for lists whose total number of rows is known. */
import type { Html } from '#shared/engine/html/html.ts';
import { countText } from '#shared/pages/design/format.tsx';
import { type Here, hereWith } from './here.ts';

interface Props {
  readonly at: Here;
  readonly page: number;
  readonly shown: number;
  readonly total: number;
  readonly nextPage: number | false;
}

export function OffsetLinks({ at, page, shown, total, nextPage }: Props): Html {
  // An empty list has no links, because its page shows a message instead.
  if (total === 0 && page === 0) return <span hidden />;
  return (
    <nav class="pages" aria-label="Pages">
      <span>
        {page > 0 && (
          <a rel="prev" href={hereWith(at, { page: page > 1 ? page - 1 : undefined })}>
            ← Previous
          </a>
        )}
      </span>
      <span class="soft">
        {countText(shown)} of {countText(total)}
      </span>
      <span>
        {nextPage !== false && (
          <a rel="next" href={hereWith(at, { page: nextPage })}>
            Next →
          </a>
        )}
      </span>
    </nav>
  );
}
