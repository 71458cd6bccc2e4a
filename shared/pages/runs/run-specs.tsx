/** The spec files of a run, failed ones first, and the machines that ran them. */
import type * as z from 'zod';
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, numbers, wide, wideNumbers } from '#shared/pages/design/data-table.tsx';
import { durationText } from '#shared/pages/design/format.tsx';
import { OutcomeBadge, type ShownOutcome } from '#shared/pages/design/outcome.tsx';
import { instanceHref, runPageHref, withQuery } from '#shared/pages/shell/hrefs.ts';
import type { RunSpec, WholeRun } from '#shared/results/run-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

type Run = z.infer<typeof WholeRun>;
type Spec = z.infer<typeof RunSpec>;

const ORDER: readonly ShownOutcome[] = ['failed', 'running', 'flaky', 'pending', 'skipped', 'passed'];

/** The outcome of a spec file. `pending` means that no machine has claimed the spec file. */
function outcomeOf({ claimedAt, completedAt, results }: Spec): ShownOutcome {
  if (results && results.stats.failures + results.stats.skipped > 0) return 'failed';
  if (claimedAt === null) return 'pending';
  if (completedAt === null) return 'running';
  return results && results.flaky > 0 ? 'flaky' : 'passed';
}

export function SpecTable({ visit, run }: { readonly visit: ProjectVisit; readonly run: Run }): Html {
  const specs = run.specs
    .map((spec) => ({ spec, outcome: outcomeOf(spec) }))
    .sort((one, other) => ORDER.indexOf(one.outcome) - ORDER.indexOf(other.outcome));
  return (
    <DataTable
      label="Spec files"
      caption="Failed spec files first"
      columns={['Outcome', 'Spec file', ...numbers('Tests', 'Failed'), ...wideNumbers('Flaky', 'Duration')]}
    >
      {specs.map(({ spec, outcome }) => (
        <SpecRow visit={visit} spec={spec} outcome={outcome} />
      ))}
    </DataTable>
  );
}

const LABELS: Partial<Record<ShownOutcome, string>> = { pending: 'not started' };

const SpecRow = ({
  visit,
  spec,
  outcome,
}: {
  readonly visit: ProjectVisit;
  readonly spec: Spec;
  readonly outcome: ShownOutcome;
}): Html => (
  <tr>
    <td>
      <OutcomeBadge outcome={outcome} label={LABELS[outcome] ?? outcome} />
    </td>
    <th scope="row">
      <a href={instanceHref(visit, spec.instanceId)}>{spec.spec}</a>
      <br />
      <small>{spec.groupId}</small>
    </th>
    <td class="number">{spec.results?.stats.tests ?? '–'}</td>
    <td class="number">{spec.results?.stats.failures ?? '–'}</td>
    <td class="number wide">{spec.results?.flaky ?? '–'}</td>
    <td class="number wide">{spanOf(spec) === undefined ? '–' : durationText(spanOf(spec) ?? 0)}</td>
  </tr>
);

const spanOf = ({ claimedAt, completedAt }: Spec): number | undefined =>
  claimedAt === null || completedAt === null ? undefined : Date.parse(completedAt) - Date.parse(claimedAt);

interface Machine {
  readonly machineId: string;
  readonly specs: number;
  /** Total time in spec files, in milliseconds. */
  readonly busy: number;
}

function machinesOf(specs: readonly Spec[], now: number): Machine[] {
  const claimed = specs.filter(({ machineId }) => machineId !== '');
  return [...Map.groupBy(claimed, ({ machineId }) => machineId)].map(([machineId, own]) => ({
    machineId,
    specs: own.length,
    busy: own.reduce((sum, spec) => sum + (spanOf(spec) ?? now - Date.parse(spec.claimedAt ?? '')), 0),
  }));
}

interface MachinesProps {
  readonly visit: ProjectVisit;
  readonly run: Run;
  readonly now: number;
}

/** The machines of a run. Hidden for a single machine, unless its spec files can be released. */
export function Machines({ visit, run, now }: MachinesProps): Html {
  const end = run.durationMs === null ? now : Date.parse(run.createdAt) + run.durationMs;
  const machines = machinesOf(run.specs, end);
  const mayRelease = run.completionState === 'IN_PROGRESS' && may(visit.person, 'runs:write');
  if (machines.length < (mayRelease ? 1 : 2)) return <span hidden />;
  const longest = Math.max(1, ...machines.map(({ busy }) => busy));
  return (
    <>
      <h2>Machines</h2>
      <DataTable
        label="Machines"
        caption="Time that each machine spent running spec files"
        columns={[
          'Machine',
          ...numbers('Spec files', 'Busy'),
          ...wide('Relative to the longest'),
          ...(mayRelease ? ['Interrupted?'] : []),
        ]}
      >
        {machines.map(({ machineId, specs, busy }) => (
          <tr>
            <th scope="row">
              <code>{machineId}</code>
            </th>
            <td class="number">{specs}</td>
            <td class="number">{durationText(Math.max(0, busy))}</td>
            <td class="wide">
              <progress value={Math.max(0, busy)} max={longest} aria-label={`Busy time of ${machineId}`} />
            </td>
            {mayRelease && <td>{<ReleaseLink visit={visit} runId={run.runId} machineId={machineId} />}</td>}
          </tr>
        ))}
      </DataTable>
    </>
  );
}

const ReleaseLink = ({
  visit,
  runId,
  machineId,
}: {
  readonly visit: ProjectVisit;
  readonly runId: string;
  readonly machineId: string;
}): Html => (
  <a
    href={withQuery(runPageHref(visit, runId, 'reset'), { machine_id: machineId })}
    aria-label={`Release the spec files of ${machineId}`}
  >
    Release…
  </a>
);
