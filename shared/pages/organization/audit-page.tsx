/** The audit log of an organization, newest first. */
import type { Html } from '#shared/engine/html/html.ts';
import type { AuditRecord } from '#shared/model/organizations/audit-record.ts';
import { EmptyState, PageHead } from '#shared/pages/design/parts.tsx';
import { FilterBar } from '#shared/pages/shell/filter-bar.tsx';
import { type Here, linkWithChanges } from '#shared/pages/shell/here.ts';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';
import { AuditTable } from './audit-table.tsx';
import type { AuditNames } from './audit-words.ts';

interface Props extends AuditNames {
  readonly visit: OrganizationVisit;
  readonly at: Here;
  /** `next` says where the next page starts. */
  readonly log: { readonly records: readonly AuditRecord[]; readonly next: string | undefined };
  readonly isFirst: boolean;
}

export const AuditPage = ({ visit, at, log: { records, next }, isFirst, ...names }: Props): Html => (
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
      <AuditTable label="Audit log" records={records} {...names} />
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
