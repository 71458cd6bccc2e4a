/** Checks that a run belongs to the project in the URL. If it does not, the response is 404. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { extractRunId } from '#shared/model/ids.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';

export function requireRunOfProject(
  run: { readonly projectId: string },
  { projectId }: { readonly projectId: string },
): void {
  if (run.projectId !== projectId) throw notFound('Run');
}

/** Finds the run of an instance. Throws 404 if it belongs to another project or organization. */
export const requireInstanceOfProject = async (
  services: WithTable,
  { instanceId, ...key }: ProjectKey & { readonly instanceId: string },
): Promise<Run> => {
  const runId = extractRunId(instanceId) ?? refuse(notFound('Instance'));
  return findRunOfProject(services, { ...key, runId });
};

/** Finds the run. Throws 404 for a run of another project or organization. */
export async function findRunOfProject(
  { table }: WithTable,
  key: ProjectKey & { readonly runId: string },
): Promise<Run> {
  const run = (await table.get(runs, key, { consistent: true })) ?? refuse(notFound('Run'));
  requireRunOfProject(run, key);
  return run;
}
