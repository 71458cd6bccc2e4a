/** Exports the executions of a project to a folder or bucket of the operator, one day after the other. */
import { listDaysWithRuns, writeDay } from '#shared/analytics/exports/write-day.ts';
import type { DayOfProject } from '#shared/model/analytics/exported-day.ts';
import type { CoreServices } from '#shared/services.ts';
import type { ExportTarget } from './export-target.ts';

interface ProjectExport {
  readonly target: ExportTarget;
  /** `from` and `until` are the first and the last UTC day. Default: all days. */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly onProgress: (soFar: { readonly day: string; readonly rows: number }) => void;
}

interface ProjectExportResult {
  readonly days: number;
  readonly executions: number;
  readonly bytes: number;
  /** Days of an earlier export that have no executions any more. */
  readonly removed: number;
  /** Spec files that were left out because their stored results are damaged. */
  readonly incomplete: number;
  readonly readUnits: number;
}

/** Idempotent. Days of an earlier export are replaced, or removed if they have no executions any more. */
export async function exportProject(
  services: CoreServices,
  project: Omit<DayOfProject, 'day'>,
  { target, from = '', until = '9999', onProgress }: ProjectExport,
): Promise<ProjectExportResult> {
  const table = services.table.metered();
  const totals = { days: 0, executions: 0, bytes: 0, removed: 0, incomplete: 0 };
  const earlierDays = await target.days(project);
  const all = new Set([...(await listDaysWithRuns({ table }, project)), ...earlierDays]);
  for (const day of [...all].sort()) {
    if (day < from || day > until) continue;
    const dayOfProject = { ...project, day };
    const bytes = await target.write(dayOfProject, async (write) => {
      const { rows, incomplete } = await writeDay({ table }, dayOfProject, { write, isTimeUp: () => false });
      totals.executions += rows;
      totals.incomplete += incomplete;
    });
    totals.bytes += bytes;
    if (bytes > 0) totals.days += 1;
    else if (earlierDays.includes(day)) {
      await target.remove(dayOfProject);
      totals.removed += 1;
    }
    onProgress({ day, rows: totals.executions });
  }
  return { ...totals, readUnits: Math.ceil(table.meter.readUnits) };
}
