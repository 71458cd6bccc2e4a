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
  /** Whether the spec file is still running, or never finished. Its bar then extends to the end of the timeline. */
  readonly isOpen: boolean;
  /** Whether the run has ended. Nothing of it is running then. */
  readonly hasEnded: boolean;
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

type TimedRun = Pick<z.infer<typeof WholeRun>, 'createdAt' | 'durationMs' | 'completionState' | 'specs'>;

type TimedSpec = Pick<TimedRun['specs'][number], 'claimedAt'>;

/**
 * Uploads and imports are recorded after their tests ran. Their spec files without start times are claimed at the
 * creation of the run, and complete when they are recorded: the time between the two says nothing about the tests.
 */
export function findTimes({ createdAt, completionState, specs }: Omit<TimedRun, 'durationMs'>) {
  const creationTime = Date.parse(createdAt);
  const claims = specs.flatMap(({ claimedAt }) => (claimedAt === null ? [] : Date.parse(claimedAt)));
  const start = claims.reduce((first, claim) => Math.min(first, claim), creationTime);
  const hasEnded = completionState !== 'IN_PROGRESS';
  const isRecordedLater = start < creationTime || (hasEnded && claims.every((claim) => claim === creationTime));
  return {
    start,
    isRecordedLater,
    hasTimes: ({ claimedAt }: TimedSpec): boolean =>
      claimedAt !== null && !(isRecordedLater && claimedAt === createdAt),
  };
}

/**
 * The timeline of a run in progress ends at the current time, and that of results that were recorded later ends with
 * the last of them. Spec files without times are left out.
 */
export function buildTimeline(run: TimedRun, now: number): Timeline {
  const { start, isRecordedLater, hasTimes } = findTimes(run);
  const specs = run.specs.filter(hasTimes);
  const ends = specs.flatMap(({ completedAt }) => (completedAt === null ? [] : Date.parse(completedAt) - start));
  const lastEnd = ends.reduce((last, end) => Math.max(last, end), 0);
  const recordedLength = run.completionState === 'IN_PROGRESS' ? now - start : lastEnd;
  const length = isRecordedLater ? lastEnd : Math.max(0, run.durationMs ?? recordedLength);
  const clamp = (time: number) => Math.min(Math.max(0, time), length);
  const bars = specs.flatMap((spec): TimelineBar[] => {
    if (spec.claimedAt === null) return [];
    const from = clamp(Date.parse(spec.claimedAt) - start);
    const isOpen = spec.completedAt === null;
    const to = spec.completedAt === null ? length : clamp(Date.parse(spec.completedAt) - start);
    return [{ spec, from, to: Math.max(from, to), isOpen, hasEnded: run.completionState !== 'IN_PROGRESS' }];
  });
  bars.sort((one, other) => one.from - other.from || one.to - other.to);
  const machines = [...Map.groupBy(bars, ({ spec }) => spec.machineId)].map(([machineId, machineBars]) =>
    buildMachine(machineId, machineBars),
  );
  const last = machines.reduce<TimelineMachine | undefined>(
    (latestMachine, one) => (latestMachine === undefined || one.end > latestMachine.end ? one : latestMachine),
    undefined,
  );
  return { length, machines, last };
}

/** `bars` must be sorted by start: each is compared only with the last bar of each lane and the latest end so far. */
function buildMachine(machineId: string, bars: readonly TimelineBar[]): TimelineMachine {
  const lanes: TimelineBar[][] = [];
  let busyMilliseconds = 0;
  let end = 0;
  for (const bar of bars) {
    const lane = lanes.find((one) => (one.at(-1)?.to ?? 0) <= bar.from);
    if (lane) lane.push(bar);
    else lanes.push([bar]);
    busyMilliseconds += Math.max(0, bar.to - Math.max(bar.from, end));
    end = Math.max(end, bar.to);
  }
  return { machineId, lanes, busy: busyMilliseconds, end };
}
