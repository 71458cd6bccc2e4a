/** The spec files of a run, failed ones first, and the machines that ran them. */
import type * as z from 'zod';
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, numbers, wide } from '#shared/pages/design/data-table.tsx';
import { formatCount, formatDuration, formatQuantity } from '#shared/pages/design/format.tsx';
import { OutcomeMark, ProportionBar, type ShownOutcome } from '#shared/pages/design/outcome.tsx';
import { Panel } from '#shared/pages/design/parts.tsx';
import { addQuery, linkToInstance, linkToRun, linkToRunPage } from '#shared/pages/shell/hrefs.ts';
import { compareTexts } from '#shared/results/contains.ts';
import type { RunSpec, WholeRun } from '#shared/results/runs/run-wire.ts';
import { buildTimeline, findTimes, type TimelineBar } from '#shared/results/runs/timeline.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

const ORDER: readonly ShownOutcome[] = ['failed', 'running', 'flaky', 'pending', 'skipped', 'passed'];

/** The outcome of a spec file. `pending` means that no machine has claimed the spec file. */
export function getSpecOutcome({ claimedAt, completedAt, results }: z.infer<typeof RunSpec>): ShownOutcome {
  if (results && results.stats.failures + results.stats.skipped > 0) return 'failed';
  if (claimedAt === null) return 'pending';
  if (completedAt === null) return 'running';
  return results && results.flaky > 0 ? 'flaky' : 'passed';
}

/** Several jobs, machines or imports of a build may report the same spec file, each in an instance of its own. */
const makeSpecKey = ({ groupId, spec }: z.infer<typeof RunSpec>): string => JSON.stringify([groupId, spec]);

interface Props {
  readonly visit: ProjectVisit;
  readonly run: z.infer<typeof WholeRun>;
}

/** More spec files would make the page of a large run many screens long. */
const SHOWN_FILES = 50;

interface SpecTableProps extends Props {
  /** Whether to show all spec files, however many there are. */
  readonly isWhole: boolean;
}

const measureDuration = ({ claimedAt, completedAt }: z.infer<typeof RunSpec>): number | undefined =>
  claimedAt === null || completedAt === null ? undefined : Date.parse(completedAt) - Date.parse(claimedAt);

export function SpecTable({ visit, run, isWhole }: SpecTableProps): Html {
  const byTime = run.specs.toSorted((one, other) => compareTexts(one.claimedAt ?? '', other.claimedAt ?? ''));
  const sourcesOf = Map.groupBy(byTime, makeSpecKey);
  const { hasTimes } = findTimes(run);
  const specs = run.specs
    .map((spec) => {
      const sources = sourcesOf.get(makeSpecKey(spec)) ?? [];
      const source = sources.length > 1 ? `source ${sources.indexOf(spec) + 1} of ${sources.length}` : '';
      const duration = hasTimes(spec) ? measureDuration(spec) : undefined;
      return { spec, duration, outcome: getSpecOutcome(spec), source };
    })
    .sort((one, other) => ORDER.indexOf(one.outcome) - ORDER.indexOf(other.outcome));
  const shownSpecs = isWhole ? specs : specs.slice(0, SHOWN_FILES);
  const more = specs.length - shownSpecs.length;
  return (
    <Panel
      title="Spec files"
      note={`${formatCount(specs.length)}, failed first`}
      actions={run.specs.some(hasTimes) && <a href={linkToRunPage(visit, run.runId, 'timeline')}>Timeline</a>}
      id="spec-files"
      isFlush
      footer={
        more > 0 && (
          <a href={`${linkToRun(visit, run.runId, { files: 'all' })}#spec-files`}>
            Show {formatQuantity(more, 'more spec file')}
          </a>
        )
      }
    >
      <DataTable
        label="Spec files"
        columns={['Spec file', ...wide('Group'), ...wide('Tests'), ...numbers('Failed', 'Duration')]}
      >
        {shownSpecs.map(({ spec: { instanceId, spec, groupId, results }, duration, outcome, source }) => (
          <tr>
            <th scope="row">
              <span class="marked">
                <OutcomeMark outcome={outcome} label={outcome === 'pending' ? 'not started' : outcome} />
                <a href={linkToInstance(visit, instanceId)}>
                  {spec}
                  {source && <span class="soft"> · {source}</span>}
                </a>
              </span>
            </th>
            <td class="wide">{groupId}</td>
            <td class="wide">
              {results && <ProportionBar counts={results.stats} total={results.stats.tests} isSmall />}{' '}
              {results?.stats.tests ?? '–'}
            </td>
            <td class="number">{results?.stats.failures ?? '–'}</td>
            <td class="number">{duration === undefined ? '–' : formatDuration(duration)}</td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}

/** The number of bars that the machines share. Each machine shows at least one. The timeline page shows more. */
const DRAWN_BARS = 200;

/** Hidden if there is only one machine, unless the person may release its spec files. */
export function Machines({ visit, run, now }: Props & { readonly now: number }): Html {
  const { machines, length } = buildTimeline(run, now);
  const mayRelease = run.completionState === 'IN_PROGRESS' && may(visit.person, 'runs:write');
  const namedMachines = machines.filter(({ machineId }) => machineId !== '');
  if (namedMachines.length < (mayRelease ? 1 : 2)) return <></>;
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
            <MiniLane bars={lanes.flat().slice(0, most)} length={length} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export interface PlannedShards {
  readonly shards: readonly { readonly number: number; readonly plannedMs: number; readonly tookMs: number | null }[];
  readonly savedMs: number | null;
}

/** The shards of a build whose tests we divided, with what they were planned to take. */
export function Shards({ plan }: { readonly plan: PlannedShards | undefined }): Html {
  if (!plan) return <></>;
  const { shards, savedMs } = plan;
  return (
    <Panel
      title="Shards"
      note={formatCount(shards.length)}
      isFlush
      footer={
        savedMs !== null &&
        savedMs > 0 && <span class="soft">The split of Playwright would take {formatDuration(savedMs)} longer.</span>
      }
    >
      <DataTable label="Shards" columns={['Shard', ...numbers('Planned', 'Took')]}>
        {shards.map(({ number, plannedMs, tookMs }) => (
          <tr>
            <th scope="row">{String(number)}</th>
            <td class="number">{formatDuration(plannedMs)}</td>
            <td class="number">{tookMs === null ? '–' : formatDuration(tookMs)}</td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}

const LANE_HEIGHT = 10;
const formatPercent = (share: number): string => `${(100 * share).toFixed(1)}%`;

/** Failed spec files are drawn last, so that other bars do not cover them. */
const MiniLane = ({ bars, length }: { readonly bars: readonly TimelineBar[]; readonly length: number }): Html => (
  <svg class="chart lanes" height={LANE_HEIGHT} aria-hidden="true">
    {bars
      .toSorted((one, other) => ORDER.indexOf(getSpecOutcome(other.spec)) - ORDER.indexOf(getSpecOutcome(one.spec)))
      .map(({ spec, from, to }) => (
        <rect
          class={getSpecOutcome(spec)}
          x={formatPercent(from / Math.max(1, length))}
          width={formatPercent(Math.max(0.005, (to - from) / Math.max(1, length)))}
          height={LANE_HEIGHT}
        />
      ))}
  </svg>
);
