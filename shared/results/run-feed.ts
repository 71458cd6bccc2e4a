/** Presents a run: the item of lists, and the whole run with its spec files. */
import * as z from 'zod';
import { Commit } from '#shared/model/commit.ts';
import { Counters } from '#shared/model/outcomes.ts';
import type { GroupSummary, Run } from '#shared/model/run.ts';
import { mergeTags } from '#shared/model/tags.ts';
import { isoTime } from './test-result.ts';

const dateTime = z.string().meta({ format: 'date-time' });
const nullable = z.string().nullable();
const counter = z.int();

export const Platform = z
  .object({ osName: nullable, osVersion: nullable, browserName: nullable, browserVersion: nullable })
  .meta({ id: 'Platform' });

export const Framework = z
  .object({ type: z.string(), version: nullable, clientVersion: nullable })
  .meta({ id: 'Framework' });

export const Cancellation = z
  .object({ actor: z.string(), canceledAt: dateTime, reason: z.string() })
  .meta({ id: 'Cancellation' });

export const CompletionStateName = z.enum(['COMPLETE', 'IN_PROGRESS', 'CANCELED', 'TIMEOUT']);

const RunGroup = z
  .object({
    groupId: z.string(),
    platform: Platform,
    instances: z.object({ overall: counter, claimed: counter, complete: counter, passes: counter, failures: counter }),
    tests: Counters.extend({ tests: counter.meta({ description: 'Tests expected' }) }),
    tags: z.array(z.string()),
    environment: nullable,
    coverageEnabled: z.boolean(),
    durationMs: z.int().nullable(),
    specCount: counter,
  })
  .meta({ id: 'RunGroup' });

export const RunFeedItem = z
  .object({
    runId: z.string(),
    projectId: z.string(),
    createdAt: dateTime,
    durationMs: z
      .int()
      .nullable()
      .meta({ description: 'From the first report to the end; null while the run is under way' }),
    tags: z.array(z.string()),
    status: z.enum(['RUNNING', 'FAILING', 'FAILED', 'PASSED']),
    completionState: CompletionStateName,
    timeout: z.object({ isTimeout: z.boolean() }),
    cancellation: Cancellation.nullable(),
    groups: z.array(RunGroup),
    meta: z.object({
      ciBuildId: z.string(),
      title: nullable.meta({ description: 'Subject line of the commit' }),
      pr: z.object({ id: z.string(), title: nullable }).nullable(),
      commit: Commit,
      framework: Framework,
    }),
  })
  .meta({ id: 'RunFeedItem' });

export const presentCancellation = ({ cancellation }: Run): z.infer<typeof Cancellation> | null =>
  cancellation ? { ...cancellation, canceledAt: isoTime(cancellation.canceledAt) } : null;

export function presentRun(run: Run, groups: readonly GroupSummary[]): z.infer<typeof RunFeedItem> {
  const { commit } = run;
  return {
    runId: run.runId,
    projectId: run.projectId,
    createdAt: isoTime(run.createdAt),
    durationMs: run.endedAt === undefined ? null : Math.max(0, run.endedAt - run.createdAt),
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
      commit,
      framework: run.framework,
    },
  };
}
