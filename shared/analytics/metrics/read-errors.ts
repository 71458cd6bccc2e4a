/** §4.4 The errors of a project, grouped and over time. */
import type * as z from 'zod';
import { maskedText } from '#shared/context/masking.ts';
import type { CoreServices } from '#shared/services.ts';
import { readOccurrences } from '../read-occurrences.ts';
import type { ErrorRow, ErrorsPage, ErrorsQuery, ErrorsTimeline } from './errors-wire.ts';
import { type Asked, refuseUnknownProject } from './known-project.ts';
import { listErrors } from './list-errors.ts';
import { offsetPage } from './offset-page.ts';
import { filterOf, periodOf } from './range-wire.ts';

/** The rows of all pages, as they are stored. */
async function readRows(
  services: Pick<CoreServices, 'table'>,
  { query, ...scope }: Asked<ErrorsQuery>,
): Promise<ReturnType<typeof listErrors>> {
  const period = periodOf(query);
  const [occurrences] = await Promise.all([
    readOccurrences(services, scope, period, filterOf(query, query.tags_logical_operator)),
    refuseUnknownProject(services, scope),
  ]);
  return listErrors(occurrences, period, query);
}

export async function readAllErrors(
  services: Pick<CoreServices, 'table'>,
  asked: Asked<ErrorsQuery>,
): Promise<ErrorRow[]> {
  const { rows } = await readRows(services, asked);
  return rows.map(shown);
}

export async function readErrors(
  services: Pick<CoreServices, 'table'>,
  asked: Asked<ErrorsQuery>,
): Promise<z.infer<typeof ErrorsPage>> {
  const { rows, timeline } = await readRows(services, asked);
  const { list, ...page } = offsetPage(rows, asked.query);
  return { list: list.map(shown), ...page, timeline: shownTimeline(timeline) };
}

/** Messages of tests may contain secrets. */
function shown<Row extends { message?: string | null | undefined; target?: string | null | undefined }>(row: Row): Row {
  const { message, target } = row;
  return {
    ...row,
    ...(message ? { message: maskedText(message) } : {}),
    ...(target ? { target: maskedText(target) } : {}),
  };
}

const shownTimeline = (timeline: ErrorsTimeline): ErrorsTimeline =>
  Object.fromEntries(Object.entries(timeline).map(([day, values]) => [day, values.map(shown)]));
