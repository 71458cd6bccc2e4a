/** §4.4.5 The errors of a project, grouped and over time. */
import type * as z from 'zod';
import { CONTEXT_LIMITS } from '#shared/context/limits.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { searchOf } from '#shared/errors/search-text.ts';
import { findProject } from '#shared/find-project.ts';
import { maskedText, maskedWithin } from '#shared/masking/masking.ts';
import { byText } from '#shared/results/contains.ts';
import { type ErrorInRun, errorsInRun, failuresInRun } from '#shared/results/errors-in-run.ts';
import type { WithClock } from '#shared/services.ts';
import type { AnalyticsScope, Asked } from '../read-model.ts';
import { readOccurrences } from '../read-occurrences.ts';
import { ErrorKey, type ErrorRow, type ErrorsList, type ErrorsQuery } from './errors-wire.ts';
import { listErrors } from './list-errors.ts';
import { offsetPage } from './offset-page.ts';
import { filterOf, periodOf } from './range-wire.ts';
import { shownErrorOf } from './read-error.ts';

/** Returns the rows of all pages, and the timeline. The caller must mask the texts in both. */
async function readRows(
  services: WithTable,
  { query, ...scope }: Asked<ErrorsQuery>,
): Promise<ReturnType<typeof listErrors>> {
  const period = periodOf(query);
  const [occurrences] = await Promise.all([
    readOccurrences(services, scope, period, filterOf(query, query.tags_logical_operator)),
    findProject(services, scope),
  ]);
  return listErrors(occurrences, period, query);
}

export async function readAllErrors(services: WithTable, asked: Asked<ErrorsQuery>): Promise<ErrorRow[]> {
  return shown((await readRows(services, asked)).rows);
}

export async function readErrors(services: WithTable, asked: Asked<ErrorsQuery>): Promise<z.infer<typeof ErrorsList>> {
  const { rows, timeline } = await readRows(services, asked);
  const { list, ...page } = offsetPage(rows, asked.query);
  const note = noteOn(asked.query);
  const days = Object.entries(timeline).map(([day, values]) => [day, shown(values)]);
  return { list: shown(list), ...page, ...(note === undefined ? {} : { note }), timeline: Object.fromEntries(days) };
}

/** Adds the ids with which the latest execution of each error can be read. Takes one query for each row. */
export const addLatestIds = (
  services: WithClock,
  scope: AnalyticsScope,
  rows: readonly ErrorRow[],
): Promise<ErrorRow[]> =>
  mapConcurrently(rows, async (row) => ({ ...row, latest: await withIds(services, scope, row) }));

async function withIds(
  services: WithClock,
  { organizationId }: AnalyticsScope,
  row: ErrorRow,
): Promise<ErrorRow['latest']> {
  const { latest, lastSeen } = row;
  const asked = { organizationId, createdAt: Date.parse(lastSeen), ...latest };
  const failures = await failuresInRun(services, asked);
  // The same test may have failed with another error in another group of the run. Their records say which.
  const alike =
    failures.length > 1 ? (await errorsInRun(services, asked)).filter((one) => hasError(one, row)) : failures;
  const [first] = alike.toSorted((one, other) => byText(one.instanceId, other.instanceId));
  return first ? { ...latest, instanceId: first.instanceId, testId: first.testId } : latest;
}

/** Compares only the values by which the rows are grouped. */
function hasError({ error }: ErrorInRun, row: ErrorRow): boolean {
  const [message, target, action, category] = shownErrorOf(error);
  const values = { message, target, action, category };
  return ErrorKey.options.every((key) => row[key] === undefined || row[key] === values[key]);
}

function noteOn({ error_message: text }: ErrorsQuery): string | undefined {
  if (text === undefined) return undefined;
  const { texts, isVariable } = searchOf(maskedText(text));
  if (isVariable)
    return 'Messages do not contain numbers, ids, URLs, paths and quoted texts, so this text alone finds nothing. Search for the words around it.';
  const [, ...others] = texts;
  if (others.length === 0) return undefined;
  const forms = others.map((form) => JSON.stringify(form)).join(' or ');
  return `Errors that differ only in numbers, ids, URLs, paths and quoted texts count as one, so the text was also compared as ${forms}.`;
}

/**
 * Masks messages and targets, which may contain secrets. The amount of text that one call masks is limited. Each text
 * beyond the limit is replaced by `[left out]`, which can happen in large CSV files.
 */
function shown<Row extends Pick<ErrorRow, 'message' | 'target'>>(rows: readonly Row[]): Row[] {
  const named = rows.map(({ message, target }) => ({ ...(message && { message }), ...(target && { target }) }));
  const { shown: masked } = maskedWithin(named, CONTEXT_LIMITS.maskedCharacters);
  return rows.map((row, index) => ({ ...row, ...masked[index] }));
}
