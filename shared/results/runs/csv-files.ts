/** CSV files of lists. Each file holds one page of the list. */
import type { Content } from '#shared/engine/http/content.ts';
import { type CsvColumn, makeColumn, makeColumns, makePageFile } from '#shared/engine/http/csv.ts';
import type { PullRequestWire } from './pull-requests-wire.ts';
import type { TermItem } from './terms-wire.ts';

interface CursorPage<Row> {
  readonly has_more: boolean;
  readonly data: readonly (Row & { readonly cursor: string })[];
}

/** The cursor of the last row starts the next page. */
const makeCsvFile = <Row>(name: string, columns: readonly CsvColumn<Row>[], page: CursorPage<Row>): Content =>
  makePageFile(name, [...columns, ...makeColumns('cursor')], page.data, { 'x-has-more': String(page.has_more) });

export const makeTermsFile = (page: CursorPage<TermItem>): Content =>
  makeCsvFile('terms', makeColumns('value', 'lastUsedAt'), page);

/** The columns after `lastRunAt` describe the newest run. */
const PULL_REQUESTS: readonly CsvColumn<PullRequestWire>[] = [
  ...makeColumns('id', 'title', 'lastRunAt'),
  makeColumn('runId', ({ runs: [newestRun] }) => newestRun?.runId ?? null),
  makeColumn('status', ({ runs: [newestRun] }) => newestRun?.status ?? null),
  makeColumn('completionState', ({ runs: [newestRun] }) => newestRun?.completionState ?? null),
  makeColumn('branch', ({ runs: [newestRun] }) => newestRun?.meta.commit.branch ?? null),
  makeColumn('author', ({ runs: [newestRun] }) => newestRun?.meta.commit.authorName ?? null),
];

export const makePullRequestsFile = (page: CursorPage<PullRequestWire>): Content =>
  makeCsvFile('pull-requests', PULL_REQUESTS, page);
