/** The latest runs of each project, for the list of projects. */
import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { Project } from '#shared/model/organizations/project.ts';
import { getRunsSpan, runs, runsOfProject } from '#shared/model/runs/run.ts';
import { RESULT_LIMITS } from '../limits.ts';
import { presentWithTotals, type RunWithTotals } from './list-runs.ts';

export interface ProjectWithRuns {
  readonly project: z.infer<typeof Project>;
  /** The project's latest runs, newest first. */
  readonly runs: readonly RunWithTotals[];
}

/** Takes two round trips per project, and one more if a run has no stored counts, for example while in progress. */
export const readLatestRuns = (
  { table }: WithTable,
  { organizationId, projects }: { organizationId: string; projects: readonly z.infer<typeof Project>[] },
): Promise<ProjectWithRuns[]> =>
  mapConcurrently(projects, async (project) => {
    const limit = RESULT_LIMITS.latestRunsOfProject;
    const { rows } = await table.query(runsOfProject, getRunsSpan({ organizationId, projectId: project.projectId }), {
      limit,
      newestFirst: true,
    });
    const storedRuns = await table.getMany(
      runs,
      rows.map(({ item }) => item),
    );
    const existingRuns = storedRuns.filter((run) => run !== undefined);
    const presentedRuns = await Promise.all(existingRuns.map((run) => presentWithTotals({ table }, run)));
    // Earlier tries of a build are part of the line of its newest try.
    return {
      project,
      runs: presentedRuns.filter(({ runId, build }) => build === undefined || build.newestRunId === runId),
    };
  });

/** The projects in which a run ended in the last few minutes (`lastMinutesMilliseconds`). */
export const listActiveProjects = (all: readonly ProjectWithRuns[], now: number): z.infer<typeof Project>[] =>
  all
    .filter(({ runs: latestRuns }) =>
      latestRuns.some(
        ({ createdAt, durationMs, completionState }) =>
          completionState !== 'IN_PROGRESS' &&
          Date.parse(createdAt) + (durationMs ?? 0) > now - RESULT_LIMITS.lastMinutesMilliseconds,
      ),
    )
    .map(({ project }) => project);
