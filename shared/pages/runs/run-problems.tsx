/** Why a run failed other than by its tests, and what else went wrong in it. */
import type { Html } from '#shared/engine/html/html.ts';
import { makeVisible } from '#shared/engine/plain-text.ts';
import { formatCount, formatQuantity } from '#shared/pages/design/format.tsx';
import { Notice, Panel } from '#shared/pages/design/parts.tsx';
import type { RunProblem } from '#shared/results/runs/problem-wire.ts';

interface Props {
  /** Secrets in their messages are masked. */
  readonly problems: readonly RunProblem[];
}

/** The problems that fail the run stand in a panel, and each warning is a notice. */
export function Problems({ problems }: Props): Html {
  const reasons = problems.filter(({ failsRun }) => failsRun);
  const warnings = problems.filter(({ failsRun }) => !failsRun);
  const areErrors = reasons.every(({ kind }) => kind === 'errorOutsideTests');
  return (
    <>
      {reasons.length > 0 && (
        <Panel title={areErrors ? 'Errors outside tests' : 'Problems outside tests'} note={formatCount(reasons.length)}>
          {reasons.map((problem) => (
            <Problem problem={problem} />
          ))}
        </Panel>
      )}
      {warnings.map(({ file, message }) => (
        <Notice tone="flaky">
          {file !== null && <code class="wrap">{makeVisible(file)}</code>} {makeVisible(message)}
        </Notice>
      ))}
    </>
  );
}

const Problem = ({ problem: { kind, file, message, machines } }: { readonly problem: RunProblem }): Html => (
  <>
    {file !== null && (
      <p>
        <code class="wrap">{makeVisible(file)}</code>
      </p>
    )}
    {machines > 1 && <p class="soft">On {formatQuantity(machines, 'machine')}</p>}
    {kind === 'errorOutsideTests' ? <pre class="wrap">{makeVisible(message)}</pre> : <p>{makeVisible(message)}</p>}
  </>
);
