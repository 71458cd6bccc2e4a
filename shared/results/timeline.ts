/**
 * Shows when the spec files of a run ran, for each machine. For streamed results, the service measures all times when
 * it receives the messages, so a wrong clock on a machine does not matter. For uploads and imports, the times are those
 * that the tests report.
 */
import type * as z from 'zod';
import type { RunSpec, WholeRun } from './run-wire.ts';

type Spec = z.infer<typeof RunSpec>;

export interface TimelineBar {
  readonly spec: Spec;
  /** Milliseconds since the start of the run. */
  readonly from: number;
  readonly to: number;
  /** Whether the spec file is still running. Its bar then extends to the end of the timeline. */
  readonly isOpen: boolean;
}

export interface TimelineMachine {
  readonly machineId: string;
  /** Spec files that ran at the same time are in different lanes. */
  readonly lanes: readonly (readonly TimelineBar[])[];
  /** The number of milliseconds during which at least one spec file ran. */
  readonly busy: number;
  /** The end of the machine's last spec file, in milliseconds since the start of the run. */
  readonly end: number;
}

export interface Timeline {
  /** Milliseconds. */
  readonly length: number;
  /** In the order in which the machines claimed their first spec files. */
  readonly machines: readonly TimelineMachine[];
  /** The machine whose last spec file ended last. */
  readonly last: TimelineMachine | undefined;
}

type Timed = Pick<z.infer<typeof WholeRun>, 'createdAt' | 'durationMs' | 'completionState' | 'specs'>;

/**
 * Builds the timeline of a run. If the run is in progress, the timeline ends at the current time. Spec files that no
 * machine has claimed are left out.
 */
export function timelineOf({ createdAt, durationMs, completionState, specs }: Timed, now: number): Timeline {
  const start = Date.parse(createdAt);
  const ends = specs.flatMap(({ completedAt }) => (completedAt === null ? [] : Date.parse(completedAt) - start));
  const recorded = completionState === 'IN_PROGRESS' ? now - start : Math.max(0, ...ends);
  const length = Math.max(0, durationMs ?? recorded);
  const within = (time: number) => Math.min(Math.max(0, time), length);
  const bars = specs.flatMap((spec): TimelineBar[] => {
    if (spec.claimedAt === null) return [];
    const from = within(Date.parse(spec.claimedAt) - start);
    const isOpen = spec.completedAt === null;
    const to = spec.completedAt === null ? length : within(Date.parse(spec.completedAt) - start);
    return [{ spec, from, to: Math.max(from, to), isOpen }];
  });
  bars.sort((one, other) => one.from - other.from || one.to - other.to);
  const machines = [...Map.groupBy(bars, ({ spec }) => spec.machineId)].map(([machineId, own]) =>
    machineOf(machineId, own),
  );
  const last = machines.reduce<TimelineMachine | undefined>(
    (latest, one) => (latest === undefined || one.end > latest.end ? one : latest),
    undefined,
  );
  return { length, machines, last };
}

/**
 * Puts the bars of a machine into lanes. `bars` must be sorted by their start, because each bar is compared only with
 * the last bar of each lane and with the latest end so far.
 */
function machineOf(machineId: string, bars: readonly TimelineBar[]): TimelineMachine {
  const lanes: TimelineBar[][] = [];
  let busy = 0;
  let end = 0;
  for (const bar of bars) {
    const lane = lanes.find((one) => (one.at(-1)?.to ?? 0) <= bar.from);
    if (lane) lane.push(bar);
    else lanes.push([bar]);
    busy += Math.max(0, bar.to - Math.max(bar.from, end));
    end = Math.max(end, bar.to);
  }
  return { machineId, lanes, busy, end };
}
