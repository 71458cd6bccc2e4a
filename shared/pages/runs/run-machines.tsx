/** The machines that ran the spec files of a run, each with a small timeline. */
import type * as z from 'zod';
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { formatCount, formatDuration, formatQuantity } from '#shared/pages/design/format.tsx';
import type { ShownOutcome } from '#shared/pages/design/outcome.tsx';
import { Panel } from '#shared/pages/design/parts.tsx';
import { addQuery, linkToRunPage } from '#shared/pages/shell/hrefs.ts';
import type { WholeRun } from '#shared/results/runs/run-wire.ts';
import type { Timeline, TimelineBar } from '#shared/results/runs/timeline.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { compareOutcomes, getBarOutcome } from './spec-outcome.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly run: Pick<z.infer<typeof WholeRun>, 'runId' | 'completionState'>;
  readonly timeline: Timeline;
}

/** The number of bars that the machines share. The timeline page shows more. */
const DRAWN_BARS = 200;

/** Hidden if there is only one machine and the run has completed. */
export function Machines({ visit, run, timeline: { machines, length } }: Props): Html {
  const mayRelease = run.completionState === 'IN_PROGRESS' && may(visit.person, 'runs:write');
  const namedMachines = machines.filter(({ machineId }) => machineId !== '');
  if (namedMachines.length < (run.completionState === 'COMPLETE' ? 2 : 1)) return <></>;
  const most = Math.ceil(DRAWN_BARS / namedMachines.length);
  return (
    <Panel
      title="Machines"
      note={formatCount(namedMachines.length)}
      actions={<a href={linkToRunPage(visit, run.runId, 'timeline')}>Timeline</a>}
      isFlush
    >
      <ul class="rows">
        {namedMachines.map(({ machineId, lanes, busy }) => (
          <li>
            <code class="whole">{machineId}</code>
            <span class="grow nowrap">
              {formatDuration(busy)} <small>{formatQuantity(lanes.flat().length, 'spec file')}</small>
            </span>
            {mayRelease && (
              <a
                href={addQuery(linkToRunPage(visit, run.runId, 'reset'), { machine_id: machineId })}
                aria-label={`Release the spec files of ${machineId}`}
              >
                Release…
              </a>
            )}
            <MiniLane bars={joinBars(lanes.flat(), { most, length })} length={length} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The spec files of one outcome that a machine ran one after another. */
interface JoinedBar {
  readonly outcome: ShownOutcome;
  readonly from: number;
  readonly to: number;
}

/** As a share of the width: bars that are nearer to each other look like one. */
const SMALLEST_GAP = 0.005;

/**
 * Joins bars of one outcome that are close to each other, the more generously the more bars there are, so that a small
 * drawing shows the whole time of a machine with hundreds of spec files.
 */
function joinBars(
  bars: readonly TimelineBar[],
  { most, length }: { readonly most: number; readonly length: number },
): JoinedBar[] {
  const byOutcome = [...Map.groupBy(bars, getBarOutcome)];
  for (let gap = SMALLEST_GAP * length; ; gap *= 2) {
    const joinedBars = byOutcome.flatMap(([outcome, similar]) => joinSimilarBars(outcome, similar, gap));
    if (joinedBars.length <= most || gap >= length) return joinedBars;
  }
}

function joinSimilarBars(outcome: ShownOutcome, bars: readonly TimelineBar[], gap: number): JoinedBar[] {
  const joinedBars: JoinedBar[] = [];
  for (const { from, to } of bars.toSorted((one, other) => one.from - other.from)) {
    const previous = joinedBars.at(-1);
    if (previous && from - previous.to <= gap) joinedBars.splice(-1, 1, { ...previous, to: Math.max(previous.to, to) });
    else joinedBars.push({ outcome, from, to });
  }
  return joinedBars;
}

const LANE_HEIGHT = 10;
/** As a share of the width. */
const NARROWEST_BAR = 0.005;

const formatPercent = (share: number): string => `${(100 * share).toFixed(1)}%`;

/** Failed spec files are drawn last, so that other bars do not cover them. */
const MiniLane = ({ bars, length }: { readonly bars: readonly JoinedBar[]; readonly length: number }): Html => (
  <svg class="chart lanes" height={LANE_HEIGHT} aria-hidden="true">
    {bars
      .toSorted((one, other) => compareOutcomes(other.outcome, one.outcome))
      .map(({ outcome, from, to }) => (
        <rect
          class={outcome}
          x={formatPercent(from / Math.max(1, length))}
          width={formatPercent(Math.max(NARROWEST_BAR, (to - from) / Math.max(1, length)))}
          height={LANE_HEIGHT}
        />
      ))}
  </svg>
);
