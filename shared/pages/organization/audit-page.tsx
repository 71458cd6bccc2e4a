/** The audit log of an organization, newest first. */
import type { Html } from '#shared/engine/html/html.ts';
import type { AuditRecord } from '#shared/model/organizations/audit-record.ts';
import type { AuditRecords } from '#shared/organizations/read-audit.ts';
import { DataTable, wide } from '#shared/pages/design/data-table.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { EmptyState, PageHead } from '#shared/pages/design/parts.tsx';
import { addQuery, linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';

export interface AuditNames {
  readonly nameOf: (actor: string) => string;
  /** `undefined` if the subject of the record can be shown as it is, such as an email address. */
  readonly subjectOf: (record: AuditRecord) => string | undefined;
}

interface Props extends AuditNames {
  readonly visit: OrganizationVisit;
  readonly page: AuditRecords;
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
      {records.length > 0 && <AuditTable label="Audit log" records={records} nameOf={nameOf} subjectOf={subjectOf} />}
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

interface TableProps extends AuditNames {
  readonly label: string;
  readonly records: readonly AuditRecord[];
  /** How many of the first records are marked as new. */
  readonly fresh?: number;
}

export const AuditTable = ({ label, records, nameOf, subjectOf, fresh = 0 }: TableProps): Html => (
  <DataTable label={label} columns={['When', 'Change', 'By', ...wide('Subject')]}>
    {records.map((record, place) => (
      <tr>
        <td>
          <FullTime at={record.at} />
        </td>
        <th scope="row">
          {record.action}
          <span class="narrow">{formatShortSubject(record, subjectOf(record))}</span>
          {place < fresh && (
            <>
              {' '}
              <span class="badge">new</span>
            </>
          )}
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
);

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
const formatShortSubject = ({ detail, subject }: AuditRecord, name = subject): string =>
  detail.startsWith(name) ? '' : `: ${name}`;
