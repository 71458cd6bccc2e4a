/** The layout of pages outside the dashboard, such as the sign-in page: the logo, a title and the content. */
import type { Child, Html } from '#shared/engine/html/html.ts';
import { Logo } from './parts.tsx';

interface Props {
  readonly title: Child;
  /** One or two sentences below the title. */
  readonly lead?: Child;
  readonly children?: Child;
}

export const EntryPage = ({ title, lead, children }: Props): Html => (
  <div class="entry">
    <Logo />
    <h1>{title}</h1>
    {lead && <p class="soft">{lead}</p>}
    {children}
  </div>
);
