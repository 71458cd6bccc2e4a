/** A page of flaky tests as a CSV file. */
import type * as z from 'zod';
import type { Content } from '#shared/engine/http/content.ts';
import { type CsvColumn, makeColumn, makeColumns, makePageFile } from '#shared/engine/http/csv.ts';
import type { FlakyTestRow, FlakyTestsPage } from './flaky-wire.ts';

const COLUMNS: readonly CsvColumn<FlakyTestRow>[] = [
  makeColumn('title', ({ title }) => title.join(' > ')),
  ...makeColumns('spec', 'signature', 'state', 'score', 'events', 'retried', 'flips', 'executions', 'failures'),
  ...makeColumns('lastEventAt'),
];

export const buildFlakyTestsFile = ({ list, total }: z.infer<typeof FlakyTestsPage>): Content =>
  makePageFile('flaky-tests', COLUMNS, list, { 'x-total-count': String(total) });
