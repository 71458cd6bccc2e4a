/** Exports the executions of a project to a folder or bucket of the operator, one day after the other. */
import { listDaysWithRuns, writeDay } from '#shared/analytics/exports/write-day.ts';
import type { DayOfProject } from '#shared/model/analytics/exported-day.ts';
import type { CoreServices } from '#shared/services.ts';
import type { ExportTarget } from './export-target.ts';

interface Export {
  readonly target: ExportTarget;
  /** `from` and `until` are the first and the last UTC day. Default: all days. */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly onProgress: (soFar: { readonly day: string; readonly rows: number }) => void;
}

interface Exported {
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
  { target, from = '', until = '9999', onProgress }: Export,
): Promise<Exported> {
  const table = services.table.metered();
  const done = { days: 0, executions: 0, bytes: 0, removed: 0, incomplete: 0 };
  const earlier = await target.days(project);
  const all = new Set([...(await listDaysWithRuns({ table }, project)), ...earlier]);
  for (const day of [...all].sort()) {
    if (day < from || day > until) continue;
    const of = { ...project, day };
    const bytes = await target.write(of, async (write) => {
      const { rows, incomplete } = await writeDay({ table }, of, { write, isTimeUp: () => false });
      done.executions += rows;
      done.incomplete += incomplete;
    });
    done.bytes += bytes;
    if (bytes > 0) done.days += 1;
    else if (earlier.includes(day)) {
      await target.remove(of);
      done.removed += 1;
    }
    onProgress({ day, rows: done.executions });
  }
  return { ...done, readUnits: Math.ceil(table.meter.readUnits) };
}
