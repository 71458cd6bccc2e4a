/** Presents a run as an item of a list. The response with the whole run adds the spec files to this item. */
import type * as z from 'zod';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { computeRunDuration, type GroupSummary, type Run } from '#shared/model/runs/run.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import { presentBuild } from '../builds/tries-of-build.ts';
import type { Cancellation, RunFeedItem } from './run-wire.ts';

export const presentCancellation = ({ cancellation }: Run): z.infer<typeof Cancellation> | null =>
  cancellation ? { ...cancellation, canceledAt: formatIsoTime(cancellation.canceledAt) } : null;

export function presentRun(run: Run, groups: readonly GroupSummary[]): z.infer<typeof RunFeedItem> {
  const { commit } = run;
  return {
    runId: run.runId,
    projectId: run.projectId,
    createdAt: formatIsoTime(run.createdAt),
    durationMs: computeRunDuration(run) ?? null,
    tags: mergeTags(run.tags, run.groupTags),
    status: run.status,
    completionState: run.completionState,
    timeout: { isTimeout: run.completionState === 'TIMEOUT' },
    cancellation: presentCancellation(run),
    groups: groups.map((group) => ({ ...group, tags: [...group.tags] })),
    meta: {
      ciBuildId: run.ciBuildId,
      title: commit.message?.split('\n', 1)[0] ?? null,
      pr: run.pullRequest ?? null,
      ciPages: run.ciPages && [...run.ciPages],
      commit,
      framework: run.framework,
    },
  };
}

/** Presents a run, and the merged view of its build if the build has several tries. */
export async function presentWithBuild(
  services: WithTable,
  run: Run,
  groups: readonly GroupSummary[],
): Promise<z.infer<typeof RunFeedItem>> {
  return { ...presentRun(run, groups), build: await presentBuild(services, run) };
}
