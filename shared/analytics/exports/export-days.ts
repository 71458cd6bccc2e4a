/**
 * Keeps the exports in the artifacts bucket up to date: one Parquet file per project and day. A day is written after it
 * has ended, and again after one of its runs was corrected or deleted, or has expired. The root rows of the read model
 * tell which days have changed. Every step is safe to repeat, and the next call continues an interrupted one.
 */
import { computeDigest } from '#shared/engine/table/keys.ts';
import { check, PRESENT, put, remove } from '#shared/engine/table/writes.ts';
import { DAY_MILLISECONDS } from '#shared/engine/time.ts';
import {
  type DayOfProject,
  type ExportedDay,
  exportedDays,
  getExportedDaysSpan,
  getExportKey,
} from '#shared/model/analytics/exported-day.ts';
import { getLeaf } from '#shared/model/analytics/pending.ts';
import { getRootsSpan, spanRoots } from '#shared/model/analytics/root.ts';
import { checkpoints } from '#shared/model/checkpoint.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { getProjectsSpan, projects, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { haveEnded } from '#shared/model/runs/expiry.ts';
import { visitOrganizations } from '#shared/organizations/visit-organizations.ts';
import type { Services } from '#shared/services.ts';
import type { AnalyticsScope } from '../read-model.ts';
import { EXPORT_LIMITS } from './limits.ts';
import { formatDay, OutOfTime, parseDay, type WrittenDay, writeDay } from './write-day.ts';

type ExportServices = Pick<Services, 'table' | 'artifacts' | 'now' | 'randomId'> & {
  /** Whether the deployment exports each day. If not, existing exports are removed. */
  readonly isDaily: boolean;
};

interface Time {
  readonly remainingMilliseconds: () => number;
  readonly onFailure: (error: unknown) => void;
}

/** What all steps of one call share. */
interface Call extends ExportServices, Time {
  readonly today: string;
  readonly isTimeUp: () => boolean;
  readonly report: { -readonly [Name in Exclude<keyof ExportReport, 'finished'>]: number };
}

interface ExportReport {
  /** The number of days that were written, and of the executions in them. */
  readonly days: number;
  readonly rows: number;
  /** The number of days whose export was removed, such as those of a deleted project. */
  readonly removed: number;
  /** The number of days that could not be written. */
  readonly failed: number;
  /** Whether all projects are up to date. If not, the next call continues. */
  readonly finished: boolean;
}

const WORK = 'export-days';
/** The checkpoint that is stored when all projects are up to date, so that further calls on the same day do nothing. */
const DONE = { work: `${WORK} done` };

/** Raise this number when the columns change, so that all days are written again. */
const FORMAT = 1;

export async function exportDays(services: ExportServices, time: Time): Promise<ExportReport> {
  const { table, now, isDaily } = services;
  const report = { days: 0, rows: 0, removed: 0, failed: 0 };
  const today = formatDay(now() - EXPORT_LIMITS.pauseMilliseconds);
  const position = `${isDaily ? 'daily' : 'none'} ${today} ${FORMAT}`;
  const checkpoint = await table.get(checkpoints, DONE, { consistent: true });
  if (checkpoint?.position === position) return { ...report, finished: true };
  const isTimeUp = () => time.remainingMilliseconds() < EXPORT_LIMITS.marginMilliseconds;
  const call = { ...services, ...time, today, isTimeUp, report };
  const isFinished = await visitOrganizations(services, {
    work: WORK,
    isTimeUp,
    visit: async (organization) => {
      const projectRows = await table.queryAll(projectsOfOrganization, getProjectsSpan(organization), {
        consistent: true,
      });
      for (const project of projectRows)
        if (!(await updateProjectExports(call, project))) return { rows: 0, finished: false };
      return { rows: projectRows.length, finished: true };
    },
  });
  const isDone = isFinished && report.failed === 0;
  if (isDone) await table.put(checkpoints, { ...DONE, position, savedAt: now() });
  return { ...report, finished: isDone };
}

/** Returns false if the time is up. */
async function updateProjectExports(call: Call, { organizationId, projectId }: AnalyticsScope): Promise<boolean> {
  const { table, now, isTimeUp } = call;
  const scope = { organizationId, projectId };
  const rows = await table.queryAll(exportedDays, getExportedDaysSpan(scope), { consistent: true });
  const rowsByDay = new Map(rows.map((row) => [row.day, row]));
  const contentByDay = await computeDayContents(call, scope);
  for (const day of [...new Set([...rowsByDay.keys(), ...contentByDay.keys()])].sort().reverse()) {
    if (isTimeUp()) return false;
    const row = rowsByDay.get(day);
    const content = contentByDay.get(day);
    if (content === undefined) await removeDay(call, { ...scope, day });
    else if (row?.content !== content || isOver(row, now())) {
      if (!(await exportDay(call, { ...scope, day }, content))) return false;
    }
  }
  return true;
}

/**
 * For each ended day with runs, a digest of what its export is made from: the format, the name of the table, and the
 * versions of the day's leaves in the read model. A restored table has another name, so its days are exported again.
 */
async function computeDayContents(
  { table, isDaily, today }: Call,
  scope: AnalyticsScope,
): Promise<ReadonlyMap<string, string>> {
  const project = isDaily ? await table.get(projects, scope, { consistent: true }) : undefined;
  // A deleted project has no exports. If it is restored, they are written again.
  if (!project || project.deletesAt !== undefined) return new Map();
  const span = getRootsSpan(scope, 0, getLeaf(parseDay(today)) - 1);
  const leaves = (await table.queryAll(spanRoots, span, { consistent: true })).filter(({ level }) => level === 0);
  const days = Map.groupBy(leaves, ({ start }) => formatDay(start * MODEL_LIMITS.leafMilliseconds));
  const contentOf = (roots: typeof leaves) =>
    computeDigest(
      CONTENT_CHARACTERS,
      JSON.stringify([FORMAT, table.name, roots.map(({ start, version }) => [start, version])]),
    );
  return new Map([...days].map(([day, roots]) => [day, contentOf(roots)]));
}

/** Returns false if the time is up. */
async function exportDay(call: Call, dayKey: DayOfProject, content: string): Promise<boolean> {
  const { table, artifacts, randomId, onFailure, report } = call;
  const row = { ...dayKey, writer: randomId(WRITER_CHARACTERS), rows: 0, bytes: 0 };
  const isFirst = report.days === 0;
  try {
    await writeExport(call, row, content);
    return true;
  } catch (error) {
    const isLate = error instanceof OutOfTime;
    if (isLate && !isFirst) return false;
    report.failed += 1;
    onFailure(new Error(`The export of ${getExportKey(dayKey)} failed`, { cause: error }));
    // The time ran out although this is the first day that the invocation writes. The day is left out until it
    // changes, so that other days get their turn.
    if (isLate) {
      await artifacts.remove(getExportKey(dayKey));
      await table.put(exportedDays, { ...row, content });
    }
    return !isLate;
  }
}

async function writeExport(call: Call, row: ExportedDay, content: string): Promise<void> {
  const { table, artifacts, isTimeUp, report } = call;
  // The row is written before the object, because a removal finds objects by their rows.
  await table.put(exportedDays, row);
  let writtenDay: WrittenDay | undefined;
  const bytes = await artifacts.putInPieces(getExportKey(row), CONTENT_TYPE, async (write) => {
    writtenDay = await writeDay(call, row, { write, isTimeUp });
  });
  if (bytes === 0) await artifacts.remove(getExportKey(row));
  const { rows = 0, endsAt } = writtenDay ?? {};
  if (await completeRow(call, { ...row, content, rows, bytes, endsAt })) {
    report.days += 1;
    report.rows += rows;
  }
}

/**
 * Completes the row, unless the project was removed or another call began to write the same day. If two calls write
 * the same day, the one with the older data may write last. So neither leaves a complete row, and the next call
 * writes the day again.
 */
async function completeRow(call: Call, row: ExportedDay): Promise<boolean> {
  const { table } = call;
  const isSameWriter = { path: 'writer', equals: row.writer } as const;
  if (await table.transact([check(projects, row, PRESENT), put(exportedDays, row, isSameWriter)])) return true;
  if (await table.get(projects, row, { consistent: true })) {
    const { content, ...unknown } = row;
    await table.put(exportedDays, unknown);
  } else await removeDay(call, row);
  return false;
}

async function removeDay(
  { table, artifacts, report }: Call,
  { organizationId, projectId, day }: DayOfProject,
): Promise<void> {
  const dayKey = { organizationId, projectId, day };
  await artifacts.remove(getExportKey(dayKey));
  await table.writeMany([remove(exportedDays, dayKey)]);
  report.removed += 1;
}

const CONTENT_CHARACTERS = 16;
const WRITER_CHARACTERS = 16;
const CONTENT_TYPE = 'application/vnd.apache.parquet';

/** Whether the day on which the first run of the export expired has ended. Most other runs have then expired, too. */
function isOver({ endsAt }: ExportedDay, now: number): boolean {
  if (endsAt === undefined) return false;
  const nextDay = parseDay(formatDay(endsAt * 1000)) + DAY_MILLISECONDS;
  return haveEnded(nextDay / 1000, now);
}
