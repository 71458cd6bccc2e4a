/** Links to other pages of a list, which has either cursors or numbered pages. */
import type { Child, Html } from '#shared/engine/html/html.ts';

export interface Paging {
  readonly query: { readonly starting_after?: string | undefined; readonly ending_before?: string | undefined };
  readonly data: readonly { readonly cursor: string }[];
  readonly has_more: boolean;
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
export function PageLinks({ paging: { query, data, has_more: hasMore }, href }: Props): Html {
  const first = data[0];
  const last = data.at(-1);
  const isBack = query.ending_before !== undefined;
  const newer = (isBack ? hasMore : query.starting_after !== undefined) && first;
  const older = (isBack || hasMore) && last;
  return (
    <Steps
      names={['Newer', 'Older']}
      previous={newer && href({ starting_after: undefined, ending_before: newer.cursor })}
      next={older && href({ starting_after: older.cursor, ending_before: undefined })}
    />
  );
}

interface StepsProps {
  readonly label?: string | undefined;
  readonly names: readonly [previous: string, next: string];
  readonly previous: string | false | undefined;
  readonly next: string | false | undefined;
  readonly children?: Child;
}

const Steps = ({ label = 'Pages', names, previous, next, children }: StepsProps): Html => (
  <nav class="pages" aria-label={label}>
    <span>
      {previous && (
        <a rel="prev" href={previous}>
          ← {names[0]}
        </a>
      )}
    </span>
    {children}
    <span>
      {next && (
        <a rel="next" href={next}>
          {names[1]} →
        </a>
      )}
    </span>
  </nav>
);

interface NumberedProps {
  readonly label?: string;
  /** The number of the shown page, counted from 0. */
  readonly page: number;
  readonly nextPage: number | false;
  readonly href: (page: number) => string;
  readonly children?: Child;
}

export const NumberedLinks = ({ label, page, nextPage, href, children }: NumberedProps): Html => (
  <Steps
    label={label}
    names={['Previous', 'Next']}
    previous={page > 0 && href(page - 1)}
    next={nextPage !== false && href(nextPage)}
  >
    {children}
  </Steps>
);
