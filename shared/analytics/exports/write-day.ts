/** Writes all executions of a project in the runs of one day, as they are stored now. */
import { splitIntoChunks } from '#shared/engine/chunks.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { DAY_MILLISECONDS } from '#shared/engine/time.ts';
import type { DayOfProject } from '#shared/model/analytics/exported-day.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { isTouched } from '#shared/model/results/instance.ts';
import { getRunsSpan, type Run, runsOfProject } from '#shared/model/runs/run.ts';
import { ANALYTICS_LIMITS } from '../limits.ts';
import { readInstanceTests, readWholeRun } from '../whole-run.ts';
import { toExportedRow } from './columns.ts';
import { EXPORT_LIMITS } from './limits.ts';
import { ParquetFile, type WriteBytes } from './parquet-file.ts';

/** The start of a day, in epoch milliseconds. */
export const parseDay = (day: string): number => Date.parse(`${day}T00:00:00.000Z`);

export const formatDay = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().slice(0, '2026-11-27'.length);

export interface WrittenDay {
  /** The number of executions. */
  readonly rows: number;
  /** The number of spec files that were left out because their stored results are damaged. */
  readonly incomplete: number;
  /** When the first of the runs expires, in epoch seconds. */
  readonly endsAt: number | undefined;
}

/** The caller's time is up. */
export class OutOfTime extends Error {
  override name = 'OutOfTime';
}

/** Writes nothing if the day has no executions. Throws `OutOfTime` when the time is up. */
export async function writeDay(
  services: WithTable,
  dayKey: DayOfProject,
  { write, isTimeUp }: { readonly write: WriteBytes; readonly isTimeUp: () => boolean },
): Promise<WrittenDay> {
  const file = new ParquetFile(write);
  let incomplete = 0;
  let endsAt: number | undefined;
  for await (const { runId } of readRunsOfDay(services, dayKey)) {
    const wholeRun = await readWholeRun(services, { ...dayKey, runId });
    if (!wholeRun) continue;
    const { run, groups } = wholeRun;
    const groupOf = new Map(groups.map((group) => [group.groupId, group]));
    for (const chunk of splitIntoChunks(wholeRun.instances.filter(isTouched), ANALYTICS_LIMITS.instancesAtOnce)) {
      if (isTimeUp()) throw new OutOfTime('The time is up');
      const chunkTests = await mapConcurrently(chunk, (instance) => readInstanceTests(services, instance));
      for (const [index, instance] of chunk.entries()) {
        const tests = chunkTests[index];
        if (!tests) incomplete += 1;
        for (const test of tests ?? [])
          await file.add(toExportedRow({ run, group: groupOf.get(instance.groupId), instance, test }));
      }
    }
    const end = run.expiry.results;
    if (end !== undefined) endsAt = Math.min(endsAt ?? end, end);
  }
  await file.end();
  return { rows: file.rows, incomplete, endsAt };
}

/** The days from the first run of a project to its last one, oldest first. Some of them may be without runs. */
export async function listDaysWithRuns({ table }: WithTable, project: ProjectKey): Promise<string[]> {
  const ends = await Promise.all(
    [false, true].map(async (newestFirst) => {
      const { rows } = await table.query(runsOfProject, getRunsSpan(project), {
        limit: 1,
        newestFirst,
        consistent: true,
      });
      return rows.map(({ item }) => parseDay(formatDay(item.createdAt)));
    }),
  );
  const [first = Number.POSITIVE_INFINITY, last = first] = ends.flat();
  const days: string[] = [];
  for (let start = first; start <= last && Number.isFinite(start); start += DAY_MILLISECONDS)
    days.push(formatDay(start));
  return days;
}

/** The runs that were created on the day, oldest first. */
async function* readRunsOfDay({ table }: WithTable, dayKey: DayOfProject): AsyncGenerator<Pick<Run, 'runId'>> {
  const start = parseDay(dayKey.day);
  const span = getRunsSpan(dayKey, start, start + DAY_MILLISECONDS);
  let after: string | undefined;
  do {
    const options = { limit: EXPORT_LIMITS.runsPerPage, consistent: true, after };
    const { rows, lastRead } = await table.query(runsOfProject, span, options);
    for (const { item } of rows) yield item;
    after = lastRead;
  } while (after !== undefined);
}
