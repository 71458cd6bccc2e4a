/** A run belongs to one project. In the address of another project it does not exist. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import { type Run, runs } from '#shared/model/run.ts';
import type { Services } from '#shared/services.ts';

export function runOfProject(run: { readonly projectId: string }, { projectId }: { readonly projectId: string }): void {
  if (run.projectId !== projectId) throw notFound('Run');
}

/** Throws 404 for a run of another project or organization. */
export async function findRunOfProject(
  { table }: Pick<Services, 'table'>,
  key: { readonly organizationId: string; readonly projectId: string; readonly runId: string },
): Promise<Run> {
  const run = (await table.get(runs, key, { consistent: true })) ?? refuse(notFound('Run'));
  runOfProject(run, key);
  return run;
}
