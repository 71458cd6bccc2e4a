/** The audit log as a CSV file, in the words of its page. */
import type { Content } from '#shared/engine/http/content.ts';
import { type CsvColumn, makeColumn, makePageFile } from '#shared/engine/http/csv.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import type { AuditRecord } from '#shared/model/organizations/audit-record.ts';
import { type AuditNames, writeActor, writeChange, writeDetail } from './audit-words.ts';

interface Log {
  readonly records: readonly AuditRecord[];
  readonly next: string | undefined;
}

/** The name of the file and the header `x-has-more` say whether older records were left out. */
export function buildAuditFile({ records, next }: Log, { nameOf, subjectOf }: AuditNames): Content {
  const columns: readonly CsvColumn<AuditRecord>[] = [
    makeColumn('time', ({ at }) => formatIsoTime(at)),
    makeColumn('change', writeChange),
    makeColumn('by', ({ actor }) => writeActor(nameOf(actor))),
    makeColumn('subject', (record) => subjectOf(record) ?? record.subject),
    makeColumn('subjectId', ({ subject }) => subject),
    makeColumn('detail', writeDetail),
    makeColumn('imported', ({ imported }) => (imported ? 'yes' : 'no')),
  ];
  const hasMore = next !== undefined;
  return makePageFile(hasMore ? `audit-log-newest-${records.length}` : 'audit-log', columns, records, {
    'x-has-more': String(hasMore),
  });
}
