/** How long the shards of a run were planned to take, and how long they took. */
import type { WithTable } from '#shared/engine/table/table.ts';
import { getShardPlansSpan, shardPlans } from '#shared/model/orchestration/shard-plan.ts';
import {
  getRecordingMachinesSpan,
  type RecordingMachine,
  recordingMachines,
} from '#shared/model/runs/recording-machine.ts';
import { PLAYWRIGHT, type Run } from '#shared/model/runs/run.ts';

interface ShownShards {
  readonly shards: readonly {
    /** Counted from 1. */
    readonly number: number;
    readonly plannedMs: number;
    /** `null` while the shard runs, or if it does not run in this try. */
    readonly tookMs: number | null;
  }[];
  /** How much longer the split of the runner would have taken by the same plan. `null` if it is not known. */
  readonly savedMs: number | null;
}

/** Reads nothing for a run that no reporter of ours recorded. `undefined` if its shards were not planned as one suite. */
export async function readShards({ table }: WithTable, run: Run): Promise<ShownShards | undefined> {
  if (!(run.held || run.released) || run.imported || run.framework.type !== PLAYWRIGHT) return undefined;
  const build = run.tryOf?.build ?? run.ciBuildId;
  const [plan, ...others] = await table.queryAll(shardPlans, getShardPlansSpan({ ...run, build }));
  if (!plan || others.length > 0) return undefined;
  const machines = await table.queryAll(recordingMachines, getRecordingMachinesSpan(run));
  const { planned, builtIn } = plan;
  const shards = planned.map((plannedMs, index) => {
    const number = index + 1;
    const machinesOfShard = machines.filter(({ part }) => part?.endsWith(` ${number}/${plan.total}`));
    return { number, plannedMs, tookMs: findLongestDuration(machinesOfShard) };
  });
  return { shards, savedMs: builtIn ? Math.max(...builtIn) - Math.max(...planned) : null };
}

function findLongestDuration(machines: readonly RecordingMachine[]): number | null {
  const durations = machines.flatMap(({ startedAt, endedAt }) =>
    startedAt === undefined || endedAt === undefined ? [] : [endedAt - startedAt],
  );
  return durations.length === 0 ? null : Math.max(...durations);
}
