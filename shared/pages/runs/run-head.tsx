/** Outcome, counts and progress of a run. Polled by the script while the run is in progress. */
import type { Html } from '#shared/engine/html/html.ts';
import { counted } from '#shared/pages/design/format.tsx';
import { OutcomeBadge, OutcomeCounts, runOutcome } from '#shared/pages/design/outcome.tsx';
import { runHref, runPageHref } from '#shared/pages/shell/hrefs.ts';
import type { RunProgress } from '#shared/results/live-counters.ts';
import type { PolledVisit, ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit | PolledVisit;
  readonly runId: string;
  readonly progress: RunProgress;
}

export function RunHead({ visit, runId, progress }: Props): Html {
  const { completionState, specFiles, tests } = progress;
  const isRunning = completionState === 'IN_PROGRESS';
  return (
    <section id="head" data-live={isRunning ? runPageHref(visit, runId, 'live') : undefined}>
      <p>
        <OutcomeBadge {...runOutcome(progress)} /> {counted(tests.tests, 'test')} in{' '}
        {counted(specFiles.total, 'spec file')}
      </p>
      <OutcomeCounts counts={tests} />
      {isRunning && (
        <p role="status">
          <progress value={tests.overall} max={Math.max(1, tests.tests)} aria-label="Finished tests" /> {tests.overall}{' '}
          of {counted(tests.tests, 'test')} finished, in {specFiles.complete} of {counted(specFiles.total, 'spec file')}
          . <a href={runHref(visit, runId)}>Refresh</a>
        </p>
      )}
    </section>
  );
}
