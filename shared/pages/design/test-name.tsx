/** The suite and the title of a test, as a link. */
import type { Html } from '#shared/engine/html/html.ts';

export const TestName = ({ href, title }: { readonly href: string; readonly title: readonly string[] }): Html => (
  <a class="test-name" href={href}>
    {title.length > 1 && <span class="path">{title.slice(0, -1).join(' › ')} › </span>}
    {title.at(-1)}
  </a>
);
