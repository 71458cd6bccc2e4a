/** A page of flaky tests as a CSV file. */
import type * as z from 'zod';
import type { Content } from '#shared/engine/http/content.ts';
import { type CsvColumn, columnOf, columnsOf, pageFile } from '#shared/engine/http/csv.ts';
import type { FlakyTestRow, FlakyTestsPage } from './flaky-wire.ts';

const COLUMNS: readonly CsvColumn<FlakyTestRow>[] = [
  columnOf('title', ({ title }) => title.join(' > ')),
  ...columnsOf('spec', 'signature', 'state', 'score', 'events', 'retried', 'flips', 'executions', 'failures'),
  ...columnsOf('lastEventAt'),
];

export const flakyTestsFile = ({ list, total }: z.infer<typeof FlakyTestsPage>): Content =>
  pageFile('flaky-tests', COLUMNS, list, { 'x-total-count': String(total) });
