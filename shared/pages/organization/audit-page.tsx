/** The audit log of an organization, newest first. */
import type { Html } from '#shared/engine/html/html.ts';
import type { AuditRecord } from '#shared/model/organizations/audit-record.ts';
import { ROLES } from '#shared/model/organizations/membership.ts';
import { DataTable, wide } from '#shared/pages/design/data-table.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { EmptyState, PageHead } from '#shared/pages/design/parts.tsx';
import { FilterBar } from '#shared/pages/shell/filter-bar.tsx';
import { type Here, linkWithChanges } from '#shared/pages/shell/here.ts';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { getRoleName } from '#shared/pages/shell/role-names.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';
import { API_KEY_LEVELS, getLevelName } from './api-key-level.ts';

export interface AuditNames {
  readonly nameOf: (actor: string) => string;
  /** `undefined` if the subject of the record can be shown as it is, such as an email address. */
  readonly subjectOf: (record: AuditRecord) => string | undefined;
}

interface Props extends AuditNames {
  readonly visit: OrganizationVisit;
  readonly at: Here;
  /** `next` says where the next page starts. */
  readonly log: { readonly records: readonly AuditRecord[]; readonly next: string | undefined };
  readonly isFirst: boolean;
}

export const AuditPage = ({ visit, at, log: { records, next }, isFirst, nameOf, subjectOf }: Props): Html => (
  <>
    <PageHead
      title="Audit log"
      meta="The audit log lists changes to members, credentials, settings, rules, issues, runs and shares, newest first. Its records cannot be edited."
    />
    <FilterBar
      at={at}
      search={{ name: 'search', label: 'Change, person or subject' }}
      fields={[
        {
          name: 'date_start',
          label: 'From',
          icon: 'calendar',
          type: 'date',
          also: { menu: 'Dates', field: { name: 'date_end', label: 'Up to, but not', icon: 'calendar', type: 'date' } },
        },
      ]}
      fileHref={linkWithChanges(at, { format: 'csv' })}
    />
    {records.length === 0 ? (
      <Nothing visit={visit} isFirst={isFirst} hasNext={next !== undefined} />
    ) : (
      <AuditTable label="Audit log" records={records} nameOf={nameOf} subjectOf={subjectOf} />
    )}
    {next !== undefined && (
      <nav class="pages" aria-label="Pages">
        <a rel="next" href={linkWithChanges(at, { starting_after: next })}>
          Older →
        </a>
      </nav>
    )}
  </>
);

interface NothingProps extends Pick<Props, 'visit' | 'isFirst'> {
  readonly hasNext: boolean;
}

function Nothing({ visit, isFirst, hasNext }: NothingProps): Html {
  const title = isFirst ? 'No records match' : 'No older records';
  return (
    <EmptyState icon="scroll-text" title={hasNext ? 'Nothing in this part of the log' : title}>
      <p>
        <a href={linkToOrganizationSettings(visit, 'audit')}>Show the newest records</a>
      </p>
    </EmptyState>
  );
}

/** How people read the words that the API uses for roles, levels and rules. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ...ROLES.map((role) => [role, getRoleName(role)] as const),
  ...API_KEY_LEVELS.map((level) => [level, getLevelName(level)] as const),
  ['expiresAfter', 'end'],
  ['matcher', 'tests'],
]);
const WORD = /\b[a-z]+(?:[A-Z][a-z]+)?\b/g;

const writeWords = (text: string): string => text.replaceAll(WORD, (word) => WORDS.get(word) ?? word);
export const writeDetail = ({ detail }: AuditRecord): string => writeWords(detail);
/** The name of an API key ends with its level. */
export const writeActor = (name: string): string =>
  name.startsWith('api:') ? `API key ${writeWords(name.slice(4))}` : name;

/** Pages call an action a rule. */
export const writeChange = ({ action }: AuditRecord): string => action.replace(/^action /, 'rule ');

/** What the search of the log looks at. */
export function describeRecord(record: AuditRecord, { nameOf, subjectOf }: AuditNames): string {
  const { actor, subject, detail } = record;
  return [
    writeChange(record),
    writeActor(nameOf(actor)),
    subjectOf(record) ?? '',
    subject,
    writeDetail(record),
    detail,
  ].join(' ');
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
          {writeChange(record)}
          <span class="narrow">{formatShortSubject(record, subjectOf(record))}</span>
          {place < fresh && (
            <>
              {' '}
              <span class="badge">new</span>
            </>
          )}
          <br />
          <small>{writeDetail(record)}</small>
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
