/** Outcome, counts and progress of a run. Polled by the script while the run is in progress. */
import type { Html } from '#shared/engine/html/html.ts';
import type { RunProgress } from '#shared/results/live-counters.ts';
import type { PolledVisit, ProjectVisit } from '#shared/sign-in/visit.ts';
import { counted } from './format.tsx';
import { runHref, runPageHref } from './hrefs.ts';
import { OutcomeBadge, OutcomeCounts, runOutcome } from './outcome.tsx';

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
