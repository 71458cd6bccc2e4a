/** §5.1 What Admins should know about, newest first. Opening the page marks it as seen. */
import type { Html } from '#shared/engine/html/html.ts';
import type { News } from '#shared/organizations/news.ts';
import { EmptyState, PageHead } from '#shared/pages/design/parts.tsx';
import { addQuery, linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';
import { AuditTable } from './audit-table.tsx';
import type { AuditNames } from './audit-words.ts';

interface Props extends AuditNames {
  readonly visit: OrganizationVisit;
  readonly news: News;
  /** How many of the first records the person has not seen. */
  readonly fresh: number;
}

export const NewsPage = ({ visit, news: { records, next }, fresh, ...names }: Props): Html => (
  <>
    <PageHead
      title="News for Admins"
      meta={
        <p>
          Changes to API keys and to how people sign in, connections that stopped working, and whatever else an Admin
          should know of. The <a href={linkToOrganizationSettings(visit, 'audit')}>audit log</a> has all changes.
        </p>
      }
    />
    {records.length === 0 ? (
      <EmptyState icon="inbox" title={next === undefined ? 'Nothing to report' : 'Nothing in this part of the log'}>
        <p>An Admin sees here what somebody else, or the service itself, has changed.</p>
      </EmptyState>
    ) : (
      <AuditTable label="News" records={records} fresh={fresh} {...names} />
    )}
    {next !== undefined && (
      <nav class="pages" aria-label="Pages">
        <a rel="next" href={addQuery(linkToOrganizationSettings(visit, 'news'), { starting_after: next })}>
          Older →
        </a>
      </nav>
    )}
  </>
);
