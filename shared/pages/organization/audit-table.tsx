/** Records of the audit log as a table, also on the page with the news. */
import type { Html } from '#shared/engine/html/html.ts';
import type { AuditRecord } from '#shared/model/organizations/audit-record.ts';
import { PROJECT_IN_DETAIL } from '#shared/organizations/actor-names.ts';
import { DataTable, wide } from '#shared/pages/design/data-table.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { type AuditNames, writeActor, writeChange, writeDetail } from './audit-words.ts';

interface TableProps extends AuditNames {
  readonly label: string;
  readonly records: readonly AuditRecord[];
  /** How many of the first records are marked as new. */
  readonly fresh?: number;
}

export const AuditTable = ({ label, records, nameOf, subjectOf, projectOf, fresh = 0 }: TableProps): Html => (
  <DataTable label={label} columns={['When', 'Change', 'By', ...wide('Subject')]}>
    {records.map((record, place) => (
      <tr>
        <td>
          <FullTime at={record.at} />
        </td>
        <th scope="row">
          {writeChange(record)}
          <span class="narrow">{formatShortSubject(record, subjectOf(record))}</span>
          {place < fresh && (
            <>
              {' '}
              <span class="badge">new</span>
            </>
          )}
          <br />
          <small>
            <Detail record={record} name={subjectOf(record)} projectOf={projectOf} />
          </small>
        </th>
        <td>
          {writeActor(nameOf(record.actor))}
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

interface DetailProps extends Pick<AuditNames, 'projectOf'> {
  readonly record: AuditRecord;
  readonly name: string | undefined;
}

/** Empty if the name of the subject already says it. */
const Detail = ({ record, name, projectOf }: DetailProps): Html => {
  const detail = writeDetail(record);
  const [, end = detail] = /^ends with (.+)$/.exec(detail) ?? [];
  if (name === detail || (end !== detail && name?.endsWith(end))) return <></>;
  const [mention = '', projectId = ''] = PROJECT_IN_DETAIL.exec(detail) ?? [];
  const project = projectOf(projectId);
  if (project === undefined) return <>{detail}</>;
  const [before = '', after = ''] = detail.split(mention, 2);
  return (
    <>
      {before}project <span title={projectId}>{project}</span>
      {after}
    </>
  );
};

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

/** A colon and the name of the subject. Empty if the details of the record start with the name and say more. */
const formatShortSubject = ({ detail, subject }: AuditRecord, name = subject): string =>
  detail.startsWith(name) && detail !== name ? '' : `: ${name}`;
