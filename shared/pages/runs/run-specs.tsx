/** The table of the spec files of a run, failed ones first. */
import type * as z from 'zod';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, numbers, wide } from '#shared/pages/design/data-table.tsx';
import { formatCount, formatDuration, formatQuantity } from '#shared/pages/design/format.tsx';
import { OutcomeMark, type ShownOutcome } from '#shared/pages/design/outcome.tsx';
import { Panel } from '#shared/pages/design/parts.tsx';
import { ProportionBar } from '#shared/pages/design/proportion-bar.tsx';
import { linkToInstance, linkToRun, linkToRunPage } from '#shared/pages/shell/hrefs.ts';
import { compareTexts } from '#shared/results/contains.ts';
import type { RunSpec, WholeRun } from '#shared/results/runs/run-wire.ts';
import { findTimes } from '#shared/results/runs/timeline.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { compareOutcomes, getSpecOutcome } from './spec-outcome.ts';

/** Several jobs, machines or imports of a build may report the same spec file, each in an instance of its own. */
const makeSpecKey = ({ groupId, spec }: z.infer<typeof RunSpec>): string => JSON.stringify([groupId, spec]);

/** More spec files would make the page of a large run many screens long. */
const SHOWN_FILES = 50;

interface Props {
  readonly visit: ProjectVisit;
  readonly run: z.infer<typeof WholeRun>;
  /** Whether the build of the run has other tries, whose spec files are not in the table. */
  readonly isTry: boolean;
  /** Whether to show all spec files, however many there are. */
  readonly isWhole: boolean;
}

const measureDuration = ({ claimedAt, completedAt }: z.infer<typeof RunSpec>): number | undefined =>
  claimedAt === null || completedAt === null ? undefined : Date.parse(completedAt) - Date.parse(claimedAt);

const NAMES: Partial<Record<ShownOutcome, string>> = { pending: 'not started', skipped: 'not finished' };
const nameOutcome = (outcome: ShownOutcome): string => NAMES[outcome] ?? outcome;

export function SpecTable({ visit, run, isTry, isWhole }: Props): Html {
  const byTime = run.specs.toSorted((one, other) => compareTexts(one.claimedAt ?? '', other.claimedAt ?? ''));
  const sourcesOf = Map.groupBy(byTime, makeSpecKey);
  const { hasTimes } = findTimes(run);
  const specs = run.specs
    .map((spec) => {
      const sources = sourcesOf.get(makeSpecKey(spec)) ?? [];
      const source = sources.length > 1 ? `source ${sources.indexOf(spec) + 1} of ${sources.length}` : '';
      const duration = hasTimes(spec) ? measureDuration(spec) : undefined;
      return { spec, duration, outcome: getSpecOutcome(spec, run.completionState !== 'IN_PROGRESS'), source };
    })
    .sort((one, other) => compareOutcomes(one.outcome, other.outcome));
  // Some reports say how long a test took, but not when it began.
  const areTimed = run.specs.some(hasTimes);
  const shownSpecs = isWhole ? specs : specs.slice(0, SHOWN_FILES);
  const more = specs.length - shownSpecs.length;
  return (
    <Panel
      title="Spec files"
      note={`${formatCount(specs.length)}${isTry ? ' of this try' : ''}, failed first`}
      actions={areTimed && <a href={linkToRunPage(visit, run.runId, 'timeline')}>Timeline</a>}
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
        columns={[
          'Spec file',
          ...wide('Group'),
          ...wide('Tests'),
          ...numbers('Failed', ...(areTimed ? ['Duration'] : [])),
        ]}
      >
        {shownSpecs.map(({ spec: { instanceId, spec, groupId, results, completedAt }, duration, outcome, source }) => (
          <tr>
            <th scope="row">
              <span class="marked">
                <OutcomeMark outcome={outcome} label={nameOutcome(outcome)} />
                <a href={linkToInstance(visit, instanceId)}>
                  {spec}
                  {source && <span class="soft"> · {source}</span>}
                </a>
              </span>
            </th>
            <td class="wide">{groupId}</td>
            <td class="wide">
              {results && (completedAt !== null || results.stats.overall < results.stats.tests) && (
                <ProportionBar counts={results.stats} total={results.stats.tests} isSmall />
              )}{' '}
              {results?.stats.tests ?? '–'}
            </td>
            <td class="number">{results?.stats.failures ?? '–'}</td>
            {areTimed && <td class="number">{duration === undefined ? '–' : formatDuration(duration)}</td>}
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}
