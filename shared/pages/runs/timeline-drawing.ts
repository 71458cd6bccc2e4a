/** What the timeline of a run on its page and as a file have in common. */
import { formatDuration } from '#shared/pages/design/format.tsx';
import type { TimelineBar, TimelineMachine } from '#shared/results/runs/timeline.ts';
import { getBarOutcome } from './spec-outcome.ts';

/** The maximum number of machines and bars in the drawing, and of rows in the table. */
export const DRAWN = { machines: 64, bars: 1000, rows: 50 } as const;
export const LANE_HEIGHT = 24;
export const BAR_HEIGHT = 20;
export const TICKS = 4;
export const listTicks = (length: number): string[] =>
  Array.from({ length: TICKS + 1 }, (_, at) => formatDuration((length * at) / TICKS));

export const formatMachineName = ({ machineId }: TimelineMachine): string => machineId || 'unnamed machine';

/** Returns the machines to draw, with at most `DRAWN.bars` bars in total. */
export function limitBars(machines: readonly TimelineMachine[]): TimelineMachine[] {
  let room: number = DRAWN.bars;
  return machines.slice(0, DRAWN.machines).map((machine) => ({
    ...machine,
    lanes: machine.lanes
      .map((lane) => {
        const drawnBars = lane.slice(0, Math.max(0, room));
        room -= drawnBars.length;
        return drawnBars;
      })
      .filter((lane) => lane.length > 0),
  }));
}

export function formatBarTitle(bar: TimelineBar): string {
  const { spec, from, to, isOpen, hasEnded } = bar;
  const duration = formatDuration(to - from);
  const start = `began after ${formatDuration(from)}`;
  if (isOpen && hasEnded)
    return `${spec.spec}: ${nameBarOutcome(bar)}, ${start}, ${duration} before the end of the run`;
  return `${spec.spec}: ${nameBarOutcome(bar)}, ${isOpen ? 'still running after' : 'took'} ${duration}, ${start}`;
}

export function nameBarOutcome(bar: TimelineBar): string {
  const outcome = getBarOutcome(bar);
  return outcome === 'skipped' ? 'not finished' : outcome;
}
