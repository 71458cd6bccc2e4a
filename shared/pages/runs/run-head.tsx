/** The counts and progress of a run. While the run is in progress, the script keeps the whole page up to date. */
import type { Child, Html } from '#shared/engine/html/html.ts';
import { formatCount, formatQuantity } from '#shared/pages/design/format.tsx';
import { Tile } from '#shared/pages/design/parts.tsx';
import { ProportionBar } from '#shared/pages/design/proportion-bar.tsx';
import { addQuery, linkToRun, linkToRunPage } from '#shared/pages/shell/hrefs.ts';
import { makeLiveAttributes } from '#shared/pages/shell/live.ts';
import type { OutcomeOfTest } from '#shared/results/executions/tests-of-run-wire.ts';
import type { RunProgress } from '#shared/results/runs/live-counters.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly runId: string;
  readonly progress: RunProgress;
  /** Determines whether the page has changed since it was read. */
  readonly liveState: unknown;
  /** A remark below the number of failures, such as how many are new. */
  readonly failureNote?: Child;
  /** The quarantined failures, which runners count as skipped. */
  readonly quarantined?: { readonly count: number; readonly hasMore: boolean };
  /** Tiles that only a finished run has. */
  readonly children?: Child;
}

export function RunHead({ visit, runId, progress, liveState, failureNote, quarantined, children }: Props): Html {
  const { completionState, tests, plan } = progress;
  const isRunning = completionState === 'IN_PROGRESS';
  const quarantinedCount = Math.min(quarantined?.count ?? 0, tests.pending);
  const skippedCount = tests.pending - quarantinedCount;
  const others = [
    quarantinedCount > 0 &&
      `${quarantined?.hasMore ? 'more than ' : ''}${formatQuantity(quarantinedCount, 'quarantined failure')}`,
    skippedCount > 0 && `${formatCount(skippedCount)} skipped`,
    tests.skipped > 0 && `${formatCount(tests.skipped)} not run`,
    !isRunning && tests.tests > tests.overall && `${formatCount(tests.tests - tests.overall)} without a result`,
  ].filter(Boolean);
  const linkToTests = (count: number, outcome: OutcomeOfTest) =>
    count > 0 ? addQuery(linkToRunPage(visit, runId, 'tests'), { outcome }) : undefined;
  return (
    <section
      id="head"
      class="panel"
      aria-label="Summary"
      {...(isRunning && makeLiveAttributes(linkToRunPage(visit, runId, 'live'), liveState))}
    >
      <dl class="summary">
        <Tile
          label="Failed"
          href={linkToTests(tests.failures, 'failed')}
          tone={tests.failures > 0 ? 'failed' : undefined}
          value={
            <>
              {formatCount(tests.failures)} <small>of {formatQuantity(tests.tests, 'test')}</small>
            </>
          }
          note={failureNote}
        />
        <Tile
          label="Flaky"
          href={linkToTests(tests.flaky, 'flaky')}
          tone={tests.flaky > 0 ? 'flaky' : undefined}
          value={formatCount(tests.flaky)}
          note={tests.flaky > 0 && 'passed on a retry'}
        />
        <Tile
          label="Passed"
          href={linkToTests(tests.passes - tests.flaky, 'passed')}
          value={formatCount(tests.passes - tests.flaky)}
          note={others.join(', ')}
        />
        {isRunning && <FinishedTile progress={progress} />}
        {children}
      </dl>
      <div class="below">
        {(!isRunning || plan.hasTests) && <ProportionBar counts={tests} total={tests.tests} />}
        {isRunning && (
          <p role="status">
            {writeProgress(progress)} <a href={linkToRun(visit, runId)}>Refresh</a>
          </p>
        )}
      </div>
    </section>
  );
}

/** Without a list of tests, nobody knows which share of them has finished. */
function FinishedTile({ progress }: Pick<Props, 'progress'>): Html {
  const { specFiles, tests, plan } = progress;
  const completeFiles = formatCount(specFiles.complete);
  if (plan.hasTests)
    return (
      <Tile
        label="Finished"
        value={`${Math.floor((tests.overall / Math.max(1, tests.tests)) * 100)} %`}
        tone="running"
        note={`${completeFiles} of ${formatQuantity(specFiles.total, 'spec file')}`}
      />
    );
  if (plan.files === undefined)
    return (
      <Tile label="Finished" value={formatQuantity(specFiles.complete, 'spec file')} tone="running" note="so far" />
    );
  return (
    <Tile
      label="Finished"
      value={
        <>
          {completeFiles} <small>of {formatQuantity(plan.files, 'spec file')}</small>
        </>
      }
      tone="running"
    />
  );
}

function writeProgress({ specFiles, tests, plan }: RunProgress): string {
  const completeFiles = formatCount(specFiles.complete);
  if (plan.hasTests)
    return `${formatCount(tests.overall)} of ${formatQuantity(tests.tests, 'test')} finished, in ${completeFiles} of ${formatQuantity(specFiles.total, 'spec file')}.`;
  const files =
    plan.files === undefined
      ? formatQuantity(specFiles.complete, 'spec file')
      : `${completeFiles} of ${formatQuantity(plan.files, 'spec file')}`;
  return `${formatQuantity(tests.overall, 'test')} finished so far. ${files} ${specFiles.complete === 1 ? 'is' : 'are'} complete.`;
}
