/** Does the work on the read model that is due. */
import { type Sweep, sweep } from '#shared/engine/table/sweep.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { type DueAnalytics, dueAnalytics } from '#shared/model/due.ts';
import type { CoreServices } from '#shared/services.ts';
import { compileRun } from './compile-run.ts';

interface Run {
  readonly remainingMilliseconds: () => number;
  readonly onFailure?: (error: unknown) => void;
}

export function sweepAnalytics(services: CoreServices, run: Run): Promise<Sweep> {
  const handle = async (due: DueAnalytics) => {
    const { organizationId, projectId, work } = due;
    if (work.kind === 'compile') await compileRun(services, { organizationId, projectId, ...work });
    await services.table.writeMany([remove(dueAnalytics, due)]);
  };
  return sweep(services, run, dueAnalytics, { dueAt: ({ dueAt }) => dueAt, handle });
}
