/** The changes in an organization, newest first. */
import type { Html } from '#shared/engine/html/html.ts';
import type { AuditPage as Page } from '#shared/organizations/read-audit.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';
import { DataTable, wide } from './data-table.tsx';
import { FullTime } from './format.tsx';
import { organizationPageHref, withQuery } from './hrefs.ts';

interface Props {
  readonly visit: OrganizationVisit;
  readonly page: Page;
  /** Shows the name of an actor. */
  readonly nameOf: (actor: string) => string;
}

export function AuditPage({ visit, page: { records, hasMore }, nameOf }: Props): Html {
  const last = records.at(-1);
  const own = organizationPageHref(visit, 'settings', 'audit');
  return (
    <>
      <h1>Audit log</h1>
      <DataTable label="Audit log" caption="Newest first" columns={['When', 'Change', 'By', ...wide('Subject')]}>
        {records.map(({ at, action, detail, actor, subject }) => (
          <tr>
            <td>
              <FullTime at={at} />
            </td>
            <th scope="row">
              {action}
              <br />
              <small>{detail}</small>
            </th>
            <td>{nameOf(actor)}</td>
            <td class="wide">{subject}</td>
          </tr>
        ))}
      </DataTable>
      {hasMore && last && (
        <nav class="pages" aria-label="Pages">
          <a rel="next" href={withQuery(own, { starting_after: last.cursor })}>
            Older →
          </a>
        </nav>
      )}
    </>
  );
}
