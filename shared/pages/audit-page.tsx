/** The changes in an organization, newest first. */
import type { Html } from '#shared/engine/html/html.ts';
import type { AuditPage as Page } from '#shared/organizations/read-audit.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';
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
      <section class="scroll" tabindex={0} aria-label="Audit log">
        <table>
          <caption>Newest first</caption>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Change</th>
              <th scope="col">By</th>
              <th scope="col" class="wide">
                Subject
              </th>
            </tr>
          </thead>
          <tbody>
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
          </tbody>
        </table>
      </section>
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
