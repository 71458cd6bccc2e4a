/** §4.4.5 The errors of a project, grouped and over time. */
import type * as z from 'zod';
import { CONTEXT_LIMITS } from '#shared/context/limits.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { toMessageSearch } from '#shared/errors/search-text.ts';
import { findProject } from '#shared/find-project.ts';
import { maskObjectWithin } from '#shared/masking/mask-object.ts';
import { maskText } from '#shared/masking/masking.ts';
import { compareTexts } from '#shared/results/contains.ts';
import { type ErrorInRun, readErrorsInRun, readFailuresInRun } from '#shared/results/failures/errors-in-run.ts';
import type { WithClock } from '#shared/services.ts';
import type { AnalyticsRequest, AnalyticsScope } from '../read-model.ts';
import { readOccurrences } from '../read-occurrences.ts';
import { ErrorKey, type ErrorRow, type ErrorsList, type ErrorsQuery } from './errors-wire.ts';
import { listErrors } from './list-errors.ts';
import { paginateByOffset } from './offset-page.ts';
import { toAnalyticsFilter, toPeriod } from './range-wire.ts';
import { toMaskedError } from './read-error.ts';

/** The caller must mask the texts in the rows of all pages and in the timeline. */
async function readRows(
  services: WithTable,
  { query, ...scope }: AnalyticsRequest<ErrorsQuery>,
): Promise<ReturnType<typeof listErrors>> {
  const period = toPeriod(query);
  const [occurrences] = await Promise.all([
    readOccurrences(services, scope, period, toAnalyticsFilter(query, query.tags_logical_operator)),
    findProject(services, scope),
  ]);
  return listErrors(occurrences, period, query);
}

export async function readAllErrors(services: WithTable, request: AnalyticsRequest<ErrorsQuery>): Promise<ErrorRow[]> {
  return maskRows((await readRows(services, request)).rows);
}

export async function readErrors(
  services: WithTable,
  request: AnalyticsRequest<ErrorsQuery>,
): Promise<z.infer<typeof ErrorsList>> {
  const { rows, timeline } = await readRows(services, request);
  const { list, ...page } = paginateByOffset(rows, request.query);
  const note = formatSearchNote(request.query, rows.length === 0);
  const days = Object.entries(timeline).map(([day, values]) => [day, maskRows(values)]);
  return { list: maskRows(list), ...page, note, timeline: Object.fromEntries(days) };
}

/** Adds the ids with which the latest execution of each error can be read. Takes one query for each row. */
export const addLatestIds = (
  services: WithClock,
  scope: AnalyticsScope,
  rows: readonly ErrorRow[],
): Promise<ErrorRow[]> =>
  mapConcurrently(rows, async (row) => ({ ...row, latest: await addIdsToLatest(services, scope, row) }));

async function addIdsToLatest(
  services: WithClock,
  { organizationId }: AnalyticsScope,
  row: ErrorRow,
): Promise<ErrorRow['latest']> {
  const { latest, lastSeen } = row;
  const latestExecution = { organizationId, createdAt: Date.parse(lastSeen), ...latest };
  const failures = await readFailuresInRun(services, latestExecution);
  // The same test may have failed with another error in another group of the run. Their records say which.
  const isOneOfSeveral = failures.length > 1;
  const errors = isOneOfSeveral ? await readErrorsInRun(services, latestExecution) : [];
  const matchingFailures = isOneOfSeveral ? errors.filter((error) => hasError(error, row)) : failures;
  const [first] = matchingFailures.toSorted((one, other) => compareTexts(one.instanceId, other.instanceId));
  return first ? { ...latest, instanceId: first.instanceId, testId: first.testId } : latest;
}

/** Compares only the values by which the rows are grouped. */
function hasError({ error }: ErrorInRun, row: ErrorRow): boolean {
  const [message, target, action, category] = toMaskedError(error);
  const values = { message, target, action, category };
  return ErrorKey.options.every((key) => row[key] === undefined || row[key] === values[key]);
}

function formatSearchNote({ error_message: text }: ErrorsQuery, isEmpty: boolean): string | undefined {
  if (text === undefined) return undefined;
  const { texts, isVariable } = toMessageSearch(maskText(text));
  if (isVariable)
    return 'Messages do not contain numbers, ids, URLs, paths and quoted texts, so this text alone finds nothing. Search for the words around it.';
  const [, ...others] = texts;
  const forms = others.map((form) => JSON.stringify(form)).join(' or ');
  const notes: string[] = [];
  if (others.length > 0)
    notes.push(
      `Errors that differ only in numbers, ids, URLs, paths and quoted texts count as one, so the text was also compared as ${forms}.`,
    );
  if (isEmpty) notes.push(NOTHING_MATCHES);
  return notes.length > 0 ? notes.join(' ') : undefined;
}

const NOTHING_MATCHES = 'Nothing matches. Send a few words from the first line of the error.';

/** Masks messages and targets, up to a limit of text. Beyond it, as in large CSV files, texts become `[left out]`. */
function maskRows<Row extends Pick<ErrorRow, 'message' | 'target'>>(rows: readonly Row[]): Row[] {
  const texts = rows.map(({ message, target }) => ({ ...(message && { message }), ...(target && { target }) }));
  const { shown: maskedTexts } = maskObjectWithin(texts, CONTEXT_LIMITS.maskedCharacters);
  return rows.map((row, index) => ({ ...row, ...maskedTexts[index] }));
}
