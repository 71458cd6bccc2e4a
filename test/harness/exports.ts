/** Exports the executions of a project to a folder, as `npm run admin -- analytics export` does. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { exportProject } from '#infra/cli/export-project.ts';
import { makeExportTarget } from '#infra/cli/export-target.ts';
import type { CoreServices } from '#shared/services.ts';
import { executionsIn } from './duckdb.ts';

interface Exported {
  readonly services: CoreServices;
  readonly organizationId: string;
  readonly projectId: string;
}

export async function exportFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-export-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Returns what the command prints, and SQL for the `FROM` clause of a query: all exported executions. */
export async function exportTo(folder: string, { services, organizationId, projectId }: Exported) {
  const how = { target: makeExportTarget(folder), onProgress: () => {} };
  const printed = await exportProject(services, { organizationId, projectId }, how);
  return { printed, executions: executionsIn(folder, organizationId) };
}
