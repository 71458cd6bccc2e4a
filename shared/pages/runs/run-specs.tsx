/** The spec files of a run, failed ones first, and the machines that ran them. */
import type * as z from 'zod';
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, numbers, wide } from '#shared/pages/design/data-table.tsx';
import { counted, countText, durationText } from '#shared/pages/design/format.tsx';
import { OutcomeMark, ProportionBar, type ShownOutcome } from '#shared/pages/design/outcome.tsx';
import { Panel } from '#shared/pages/design/parts.tsx';
import { instanceHref, runPageHref, withQuery } from '#shared/pages/shell/hrefs.ts';
import { compareTexts } from '#shared/results/contains.ts';
import type { RunSpec, WholeRun } from '#shared/results/run-wire.ts';
import { buildTimeline, type TimelineBar } from '#shared/results/timeline.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

const ORDER: readonly ShownOutcome[] = ['failed', 'running', 'flaky', 'pending', 'skipped', 'passed'];

/** The outcome of a spec file. `pending` means that no machine has claimed the spec file. */
export function outcomeOf({ claimedAt, completedAt, results }: z.infer<typeof RunSpec>): ShownOutcome {
  if (results && results.stats.failures + results.stats.skipped > 0) return 'failed';
  if (claimedAt === null) return 'pending';
  if (completedAt === null) return 'running';
  return results && results.flaky > 0 ? 'flaky' : 'passed';
}

/** Several jobs, machines or imports of a build may report the same spec file, each in an instance of its own. */
const placeOf = ({ groupId, spec }: z.infer<typeof RunSpec>): string => JSON.stringify([groupId, spec]);

interface Props {
  readonly visit: ProjectVisit;
  readonly run: z.infer<typeof WholeRun>;
}

export function SpecTable({ visit, run }: Props): Html {
  const byTime = run.specs.toSorted((one, other) => compareTexts(one.claimedAt ?? '', other.claimedAt ?? ''));
  const sourcesOf = Map.groupBy(byTime, placeOf);
  const specs = run.specs
    .map((spec) => {
      const sources = sourcesOf.get(placeOf(spec)) ?? [];
      const source = sources.length > 1 ? `source ${sources.indexOf(spec) + 1} of ${sources.length}` : '';
      return { spec, outcome: outcomeOf(spec), source };
    })
    .sort((one, other) => ORDER.indexOf(one.outcome) - ORDER.indexOf(other.outcome));
  return (
    <Panel
      title="Spec files"
      note={`${countText(specs.length)}, failed first`}
      actions={
        run.specs.some(({ claimedAt }) => claimedAt !== null) && (
          <a href={runPageHref(visit, run.runId, 'timeline')}>Timeline</a>
        )
      }
      id="spec-files"
      isFlush
    >
      <DataTable
        label="Spec files"
        columns={['Spec file', ...wide('Group'), ...wide('Tests'), ...numbers('Failed', 'Duration')]}
      >
        {specs.map(({ spec: { instanceId, spec, groupId, claimedAt, completedAt, results }, outcome, source }) => (
          <tr>
            <th scope="row">
              <OutcomeMark outcome={outcome} label={outcome === 'pending' ? 'not started' : outcome} />{' '}
              <a href={instanceHref(visit, instanceId)}>
                {spec}
                {source && <span class="soft"> · {source}</span>}
              </a>
            </th>
            <td class="wide">{groupId}</td>
            <td class="wide">
              {results && <ProportionBar counts={results.stats} total={results.stats.tests} isSmall />}{' '}
              {results?.stats.tests ?? '–'}
            </td>
            <td class="number">{results?.stats.failures ?? '–'}</td>
            <td class="number">
              {claimedAt === null || completedAt === null
                ? '–'
                : durationText(Date.parse(completedAt) - Date.parse(claimedAt))}
            </td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}

/** The number of bars that the machines share. Each machine shows at least one. The timeline page shows more. */
const DRAWN_BARS = 200;

/**
 * The machines of a run, and when each of them ran its spec files. Hidden if there is only one machine, unless the
 * person may release its spec files.
 */
export function Machines({ visit, run, now }: Props & { readonly now: number }): Html {
  const { machines, length } = buildTimeline(run, now);
  const mayRelease = run.completionState === 'IN_PROGRESS' && may(visit.person, 'runs:write');
  const named = machines.filter(({ machineId }) => machineId !== '');
  if (named.length < (mayRelease ? 1 : 2)) return <></>;
  const most = Math.ceil(DRAWN_BARS / named.length);
  return (
    <Panel
      title="Machines"
      note={countText(named.length)}
      actions={<a href={runPageHref(visit, run.runId, 'timeline')}>Timeline</a>}
      isFlush
    >
      <ul class="rows">
        {named.map(({ machineId, lanes, busy }) => (
          <li>
            <code class="grow">{machineId}</code>
            <span class="nowrap">
              {durationText(busy)} <small>{counted(lanes.flat().length, 'spec file')}</small>
            </span>
            {mayRelease && (
              <a
                href={withQuery(runPageHref(visit, run.runId, 'reset'), { machine_id: machineId })}
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

const LANE_HEIGHT = 10;
const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

/**
 * A small timeline of the spec files of one machine, without labels. Failed spec files are drawn last, so that other
 * bars do not cover them.
 */
const MiniLane = ({ bars, length }: { readonly bars: readonly TimelineBar[]; readonly length: number }): Html => (
  <svg class="chart lanes" height={LANE_HEIGHT} aria-hidden="true">
    {bars
      .toSorted((one, other) => ORDER.indexOf(outcomeOf(other.spec)) - ORDER.indexOf(outcomeOf(one.spec)))
      .map(({ spec, from, to }) => (
        <rect
          class={outcomeOf(spec)}
          x={percent(from / Math.max(1, length))}
          width={percent(Math.max(0.005, (to - from) / Math.max(1, length)))}
          height={LANE_HEIGHT}
        />
      ))}
  </svg>
);
