/** The timeline of a run as a standalone SVG file, without links, scripts or a style sheet. */
import type * as z from 'zod';
import { formatDuration } from '#shared/pages/design/format.tsx';
import type { ShownOutcome } from '#shared/pages/design/outcome.tsx';
import { getRunName } from '#shared/pages/design/run-name.ts';
import type { WholeRun } from '#shared/results/runs/run-wire.ts';
import type { Timeline } from '#shared/results/runs/timeline.ts';
import { getBarOutcome } from './spec-outcome.ts';
import {
  BAR_HEIGHT,
  formatBarTitle,
  formatMachineName,
  LANE_HEIGHT,
  limitBars,
  listTicks,
  TICKS,
} from './timeline-drawing.ts';

interface Props {
  readonly run: z.infer<typeof WholeRun>;
  readonly timeline: Timeline;
}

/** The colors of outcomes in the SVG file, which cannot use the style sheet of the pages. */
const COLORS: Readonly<Record<ShownOutcome, string>> = {
  failed: '#d6283a',
  flaky: '#c67c00',
  passed: '#2b9a66',
  running: '#2f7de1',
  pending: '#8a94a3',
  skipped: '#8a94a3',
};
const INK = '#12161d';
const SOFT_INK = '#5e6879';
const PAPER = '#ffffff';
const WIDTH = 1200;
const MARGIN = 16;
const HEAD = 24;

export function renderTimelineSvg({ run, timeline }: Props): string {
  const { length, machines } = timeline;
  const title = getRunName(run);
  const xOf = (time: number) => MARGIN + Math.round(((WIDTH - 2 * MARGIN) * time) / Math.max(1, length));
  let y = MARGIN + HEAD;
  const drawings = limitBars(machines).map((machine) => {
    const top = y;
    y += HEAD + machine.lanes.length * LANE_HEIGHT;
    return (
      <g transform={`translate(0 ${top})`}>
        <text x={MARGIN} y="16" fill={INK}>
          {formatMachineName(machine)}
        </text>
        {machine.lanes.map((lane, index) =>
          lane.map((bar) => (
            <g>
              <title>{formatBarTitle(bar)}</title>
              <rect
                fill={COLORS[getBarOutcome(bar)]}
                x={xOf(bar.from)}
                y={HEAD + index * LANE_HEIGHT}
                width={Math.max(1, xOf(bar.to) - xOf(bar.from) - 1)}
                height={BAR_HEIGHT}
                rx="3"
              />
            </g>
          )),
        )}
      </g>
    );
  });
  const height = y + HEAD + MARGIN;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${(
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${WIDTH} ${height}`}
      width={WIDTH}
      height={height}
      font-family="Arial, sans-serif"
      font-size={12}
    >
      <title>{`Timeline of ${title}`}</title>
      <rect fill={PAPER} x="0" width={WIDTH} height={height} />
      <text x={MARGIN} y={MARGIN + 8} fill={INK}>
        {`${title}, ${formatDuration(length)}`}
      </text>
      {drawings}
      {listTicks(length).map((text, at) => (
        <text x={xOf((length * at) / TICKS)} y={height - MARGIN} fill={SOFT_INK} text-anchor={alignTick(at)}>
          {text}
        </text>
      ))}
    </svg>
  )}\n`;
}

/** The labels at both ends of the axis stay within it. */
function alignTick(at: number): 'start' | 'middle' | 'end' {
  if (at === 0) return 'start';
  return at === TICKS ? 'end' : 'middle';
}
