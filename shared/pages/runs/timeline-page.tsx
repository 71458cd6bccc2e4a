/**
 * The page that shows when the spec files of a run ran: a timeline for each machine, and a table of the spec files by
 * duration.
 */

import type * as z from 'zod';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, numbers, wide } from '#shared/pages/design/data-table.tsx';
import { FullTime, formatCount, formatDuration, formatQuantity } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { OutcomeBadge, OutcomeMark, type ShownOutcome } from '#shared/pages/design/outcome.tsx';
import { EmptyState, Notice, PageHead, Panel, Summary, Tile } from '#shared/pages/design/parts.tsx';
import { getRunName } from '#shared/pages/design/run-name.ts';
import { getRunOutcome } from '#shared/pages/design/run-outcome.ts';
import { linkToInstance, linkToRunPage } from '#shared/pages/shell/hrefs.ts';
import type { WholeRun } from '#shared/results/runs/run-wire.ts';
import type { Timeline, TimelineBar, TimelineMachine } from '#shared/results/runs/timeline.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { RunTabs } from './run-tabs.tsx';
import { getBarOutcome } from './spec-outcome.ts';
import {
  BAR_HEIGHT,
  DRAWN,
  formatBarTitle,
  formatMachineName,
  LANE_HEIGHT,
  limitBars,
  listTicks,
  nameBarOutcome,
} from './timeline-drawing.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly run: z.infer<typeof WholeRun>;
  readonly timeline: Timeline;
}

/** Only bars that take up at least this share of the width have a label. The style sheet hides those that have no room. */
const LABELLED = 0.04;
/** The outcomes whose color is suitable as the background of a label. */
const HAS_LABEL: ReadonlySet<ShownOutcome> = new Set(['passed', 'failed', 'flaky', 'running']);
/** The minimum width of a bar, in percent. */
const NARROWEST = 0.2;

export function TimelinePage({ visit, run, timeline }: Props): Html {
  const { length, machines, last } = timeline;
  const bars = machines.flatMap(({ lanes }) => lanes.flat());
  const busyTime = machines.reduce((sum, one) => sum + one.busy, 0);
  const machineTime = length * machines.length;
  const isRunning = run.completionState === 'IN_PROGRESS';
  return (
    <>
      <PageHead
        title={getRunName(run)}
        outcome={getRunOutcome(run)}
        meta={
          <>
            {isRunning && <OutcomeBadge outcome="running" label="Running" />}
            <span>
              {formatQuantity(machines.length, 'machine')}, {formatQuantity(bars.length, 'spec file')}
            </span>
            <span>
              <Icon name="clock" />
              <FullTime at={run.createdAt} />
            </span>
          </>
        }
        actions={
          bars.length > 0 && (
            <a class="button quiet" href={linkToRunPage(visit, run.runId, 'timeline.svg')}>
              <Icon name="image" />
              Save as SVG
            </a>
          )
        }
      />
      <RunTabs visit={visit} run={run} current="timeline" />
      {!last || busyTime === 0 ? (
        <EmptyState icon="clock" title="No start times">
          <p>
            It is not known when the spec files of this run began. An uploaded or imported run has a timeline only if
            its report contains start times.
          </p>
        </EmptyState>
      ) : (
        <>
          <Summary>
            <Tile label="Length" value={formatDuration(length)} note={run.durationMs === null && 'so far'} />
            {isRunning ? (
              <Tile
                label="Running"
                value={formatCount(bars.filter((bar) => getBarOutcome(bar) === 'running').length)}
                note="spec files now"
              />
            ) : (
              <Tile
                label="Last to finish"
                value={formatDuration(last.end)}
                note={`${formatMachineName(last)}, ${formatQuantity(last.lanes.flat().length, 'spec file')}`}
              />
            )}
            <Tile
              label="Busy"
              value={`${computePercent(busyTime, machineTime)} %`}
              note={`${formatDuration(busyTime)} of ${formatDuration(machineTime)}`}
            />
            <Tile label="Idle" value={formatDuration(machineTime - busyTime)} note={formatMostIdle(timeline)} />
          </Summary>
          <div class="stack">
            <Panel title="Machines" note="each bar represents a spec file" isFlush>
              <Legend hasEnded={!isRunning} />
              {bars.length > DRAWN.bars && (
                <Notice>
                  Only the first {formatCount(DRAWN.bars)} spec files are drawn. The table lists the longest ones.
                </Notice>
              )}
              {machines.length > DRAWN.machines && (
                <Notice>Only the first {formatCount(DRAWN.machines)} machines are drawn.</Notice>
              )}
              {limitBars(machines).map((machine) => (
                <Machine visit={visit} timeline={timeline} machine={machine} />
              ))}
              <Axis length={length} />
            </Panel>
            <Panel
              title="Spec files"
              note={bars.length > DRAWN.rows ? `the longest ${DRAWN.rows}` : 'longest first'}
              isFlush
            >
              <DataTable
                label="Spec files by duration"
                columns={['Spec file', ...wide('Machine'), ...numbers('Began', 'Duration')]}
              >
                {bars
                  .toSorted((one, other) => other.to - other.from - (one.to - one.from))
                  .slice(0, DRAWN.rows)
                  .map((bar) => (
                    <Row visit={visit} bar={bar} />
                  ))}
              </DataTable>
            </Panel>
          </div>
        </>
      )}
    </>
  );
}

const computePercent = (part: number, total: number): number => (total === 0 ? 0 : Math.round((100 * part) / total));

function formatMostIdle({ machines, length }: Timeline): string | undefined {
  const [most, ...others] = machines.toSorted((one, other) => one.busy - other.busy);
  return most && others.length > 0 && most.busy < length ? `most on ${formatMachineName(most)}` : undefined;
}

const Legend = ({ hasEnded }: { readonly hasEnded: boolean }): Html => (
  <p class="legend pad">
    {(['failed', 'flaky', 'passed'] as const).map((outcome) => (
      <span class={outcome}>{outcome}</span>
    ))}
    <span class={hasEnded ? 'skipped' : 'running'}>{hasEnded ? 'not finished' : 'running'}</span>
  </p>
);

interface MachineProps extends Pick<Props, 'visit' | 'timeline'> {
  readonly machine: TimelineMachine;
}

const Machine = ({ visit, timeline: { length, last }, machine }: MachineProps): Html => {
  const runningBars = machine.lanes.flat().filter((bar) => getBarOutcome(bar) === 'running');
  const hasEnded = machine.lanes.flat().every((bar) => bar.hasEnded);
  return (
    <div class="pad machine">
      <div class="row">
        <code>{formatMachineName(machine)}</code>
        <span class="soft">{formatQuantity(machine.lanes.flat().length, 'spec file')}</span>
        {hasEnded && machine.machineId === last?.machineId && <span class="tag">ends last</span>}
        {runningBars.map(({ spec, from, to }) => (
          <span>
            now {spec.spec}, {formatDuration(to - from)}
          </span>
        ))}
        <span class="grow" />
        <span class="soft">
          idle {formatDuration(length - machine.busy)}, {computePercent(length - machine.busy, length)} %
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a group of links in an SVG, where no HTML element can be used */}
      <svg
        class="chart lanes"
        height={machine.lanes.length * LANE_HEIGHT}
        role="group"
        aria-label={`Spec files of ${formatMachineName(machine)}`}
      >
        {machine.lanes.map((lane, index) =>
          lane.map((bar) => <Bar visit={visit} bar={bar} lane={index} length={length} />),
        )}
      </svg>
    </div>
  );
};

interface BarProps extends Pick<Props, 'visit'> {
  readonly bar: TimelineBar;
  readonly lane: number;
  readonly length: number;
}

function Bar({ visit, bar, lane, length }: BarProps): Html {
  const { spec, from, to } = bar;
  const outcome = getBarOutcome(bar);
  const share = (to - from) / Math.max(1, length);
  const x = `${((100 * from) / Math.max(1, length)).toFixed(2)}%`;
  return (
    <a href={linkToInstance(visit, spec.instanceId)}>
      <svg x={x} y={lane * LANE_HEIGHT} width={`${Math.max(NARROWEST, 100 * share).toFixed(2)}%`} height={BAR_HEIGHT}>
        <title>{formatBarTitle(bar)}</title>
        <rect class={outcome} x="0" width="100%" height={BAR_HEIGHT} rx="3" />
        {share >= LABELLED && HAS_LABEL.has(outcome) && (
          <foreignObject width="100%" height={BAR_HEIGHT}>
            <div class={`name ${outcome}`}>
              <span>{spec.spec.split('/').at(-1)}</span>
            </div>
          </foreignObject>
        )}
      </svg>
    </a>
  );
}

const Axis = ({ length }: { readonly length: number }): Html => (
  <div class="pad">
    <p class="ticks" aria-hidden="true">
      {listTicks(length).map((text) => (
        <span>{text}</span>
      ))}
    </p>
  </div>
);

const Row = ({ visit, bar }: Pick<BarProps, 'visit' | 'bar'>): Html => (
  <tr>
    <th scope="row">
      <span class="marked">
        <OutcomeMark outcome={getBarOutcome(bar)} label={nameBarOutcome(bar)} />
        <a href={linkToInstance(visit, bar.spec.instanceId)}>{bar.spec.spec}</a>
      </span>
    </th>
    <td class="wide">{bar.spec.machineId}</td>
    <td class="number">{formatDuration(bar.from)}</td>
    <td class="number">{formatDuration(bar.to - bar.from)}</td>
  </tr>
);
