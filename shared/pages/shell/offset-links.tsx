/** Links to the previous and next page, for lists whose total number of rows is known. */
import type { Html } from '#shared/engine/html/html.ts';
import { formatCount } from '#shared/pages/design/format.tsx';
import { type Here, linkWithChanges } from './here.ts';
import { NumberedLinks } from './paging.tsx';

interface Props {
  readonly at: Here;
  readonly page: number;
  readonly shown: number;
  readonly total: number;
  readonly nextPage: number | false;
}

export function OffsetLinks({ at, page, shown, total, nextPage }: Props): Html {
  // An empty list has no links, because its page shows a message instead. A single row needs no count.
  if (total <= 1 && page === 0) return <span hidden />;
  return (
    <NumberedLinks page={page} nextPage={nextPage} href={(to) => linkWithChanges(at, { page: to || undefined })}>
      <span class="soft">
        {formatCount(shown)} of {formatCount(total)}
      </span>
    </NumberedLinks>
  );
}
