/** The audit log of an organization, newest first. */
import type { Html } from '#shared/engine/html/html.ts';
import type { AuditRecords } from '#shared/organizations/read-audit.ts';
import { DataTable, wide } from '#shared/pages/design/data-table.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { EmptyState, PageHead } from '#shared/pages/design/parts.tsx';
import { addQuery, linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: OrganizationVisit;
  readonly page: AuditRecords;
  readonly nameOf: (actor: string) => string;
  /** `undefined` if the subject of the record can be shown as it is, such as an email address. */
  readonly subjectOf: (record: AuditRecords['records'][number]) => string | undefined;
}

export function AuditPage({ visit, page: { records, hasMore }, nameOf, subjectOf }: Props): Html {
  const last = records.at(-1);
  const auditHref = linkToOrganizationSettings(visit, 'audit');
  return (
    <>
      <PageHead
        title="Audit log"
        meta="The audit log lists changes to members, credentials, settings, rules, issues, runs and shares, newest first. Its records cannot be edited."
      />
      {records.length === 0 && (
        <EmptyState icon="scroll-text" title="No older records">
          <p>
            <a href={auditHref}>Show the newest records</a>
          </p>
        </EmptyState>
      )}
      {records.length > 0 && (
        <DataTable label="Audit log" columns={['When', 'Change', 'By', ...wide('Subject')]}>
          {records.map((record) => (
            <tr>
              <td>
                <FullTime at={record.at} />
              </td>
              <th scope="row">
                {record.action}
                <span class="narrow">{formatShortSubject(record, subjectOf(record))}</span>
                <br />
                <small>{record.detail}</small>
              </th>
              <td>
                {nameOf(record.actor)}
                {record.imported && (
                  <>
                    <br />
                    <small>imported</small>
                  </>
                )}
              </td>
              <td class="wide">
                <Subject name={subjectOf(record)} id={record.subject} />
              </td>
            </tr>
          ))}
        </DataTable>
      )}
      {hasMore && last && (
        <nav class="pages" aria-label="Pages">
          <a rel="next" href={addQuery(auditHref, { starting_after: last.cursor })}>
            Older →
          </a>
        </nav>
      )}
    </>
  );
}

const Subject = ({ name, id }: { readonly name: string | undefined; readonly id: string }): Html =>
  name === undefined ? (
    <span>{id}</span>
  ) : (
    <>
      {name}
      <br />
      <small>
        <code>{id}</code>
      </small>
    </>
  );

/** A colon and the name of the subject. Empty if the details of the record already start with the name. */
const formatShortSubject = ({ detail, subject }: AuditRecords['records'][number], name = subject): string =>
  detail.startsWith(name) ? '' : `: ${name}`;
