/** §4.4.5 The errors of a project, grouped and over time. */
import type * as z from 'zod';
import { CONTEXT_LIMITS } from '#shared/context/limits.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { findProject } from '#shared/find-project.ts';
import { maskedWithin } from '#shared/masking/masking.ts';
import type { Asked } from '../read-model.ts';
import { readOccurrences } from '../read-occurrences.ts';
import type { ErrorRow, ErrorsList, ErrorsQuery } from './errors-wire.ts';
import { listErrors } from './list-errors.ts';
import { offsetPage } from './offset-page.ts';
import { filterOf, periodOf } from './range-wire.ts';

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
  const days = Object.entries(timeline).map(([day, values]) => [day, shown(values)]);
  return { list: shown(list), ...page, timeline: Object.fromEntries(days) };
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
