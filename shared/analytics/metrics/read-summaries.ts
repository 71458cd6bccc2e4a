/** Reads short summaries of several projects. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { NO_FILTER, type Period } from '../read-model.ts';
import { readRunGroups } from '../read-run-groups.ts';
import { type ProjectSummary, summarizeProject } from './project-summary.ts';

/** By project id. */
export async function readProjectSummaries(
  services: WithTable,
  {
    organizationId,
    projects,
    period,
  }: {
    readonly organizationId: string;
    readonly projects: readonly Pick<ProjectRecord, 'projectId' | 'defaultBranchName'>[];
    readonly period: Period;
  },
): Promise<ReadonlyMap<string, ProjectSummary>> {
  const summaries = await mapConcurrently(projects, async ({ projectId, defaultBranchName: defaultBranch }) => {
    const groups = await readRunGroups(services, { organizationId, projectId }, period, NO_FILTER);
    return [projectId, summarizeProject(groups, { period, defaultBranch })] as const;
  });
  return new Map(summaries);
}
