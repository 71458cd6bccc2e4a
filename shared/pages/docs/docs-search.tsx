/** The search of the documentation. */
import type { Html } from '#shared/engine/html/html.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import { linkToDocs } from '#shared/pages/shell/hrefs.ts';
import type { DocsProps } from './chosen-project.tsx';

/** Searches the guides and the operations. */
export const DocsSearch = ({ words = '', ...props }: DocsProps & { readonly words?: string }): Html => (
  <search>
    <form class="filter-bar" method="get" action={linkToDocs(props.visit)} aria-label="Search the documentation">
      <div class="search-field">
        <Icon name="search" />
        <input
          type="search"
          name="q"
          value={words}
          placeholder="Search guides and API"
          aria-label="Search the documentation"
        />
      </div>
      {props.chosen && <input type="hidden" name="project" value={props.chosen.projectId} />}
      <button type="submit">Search</button>
    </form>
  </search>
);
