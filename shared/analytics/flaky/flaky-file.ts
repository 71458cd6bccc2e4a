/** A page of flaky tests as a CSV file. */
import type * as z from 'zod';
import type { Content } from '#shared/engine/http/content.ts';
import { type CsvColumn, columnOf, pageFile } from '#shared/engine/http/csv.ts';
import type { FlakyTestRow, FlakyTestsPage } from './flaky-wire.ts';

const COUNTS = ['score', 'events', 'retried', 'flips', 'executions', 'failures'] as const;

const COLUMNS: readonly CsvColumn<FlakyTestRow>[] = [
  columnOf('title', ({ title }) => title.join(' > ')),
  columnOf('spec', ({ spec }) => spec),
  columnOf('signature', ({ signature }) => signature),
  columnOf('state', ({ state }) => state),
  ...COUNTS.map((name) => columnOf<FlakyTestRow>(name, (row) => row[name])),
  columnOf('lastEventAt', ({ lastEventAt }) => lastEventAt),
];

export const flakyTestsFile = ({ list, total }: z.infer<typeof FlakyTestsPage>): Content =>
  pageFile('flaky-tests', COLUMNS, list, { 'x-total-count': String(total) });
