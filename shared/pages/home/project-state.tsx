/** The state of a project: current failures on its default branch, and recent results. */
import type { ProjectSummary } from '#shared/analytics/metrics/project-summary.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DayBars } from '#shared/pages/design/day-bars.tsx';
import { counted, durationText, rateText } from '#shared/pages/design/format.tsx';
import { OutcomeBadge } from '#shared/pages/design/outcome.tsx';
import { analyticsHref, runHref, withQuery } from '#shared/pages/shell/hrefs.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly at: OrganizationVisit & { readonly projectId: string };
  readonly summary: ProjectSummary;
  /** The default branch. */
  readonly branch: string;
}

export function ProjectState({ at, summary: { overall, days, last }, branch }: Props): Html {
  const { runs, tests } = overall;
  if (runs.total === 0) return <span class="soft">no run ended</span>;
  return (
    <>
      {last && (
        <>
          <OutcomeBadge outcome={last.failures > 0 ? 'failed' : 'passed'} label={`${last.failures} failing`} /> on{' '}
          <a href={runHref(at, last.runId)}>{branch}</a>
          <br />
        </>
      )}
      <DayBars title="Failed runs" days={days} />
      <br />
      <small>
        {counted(runs.total, 'run')}, {rateText(runs.failed / runs.total)} failed
        {runs.completed > 0 && `, ${durationText(runs.avgDurationSeconds * 1000)} on average`},{' '}
        <a href={withQuery(analyticsHref(at, 'tests'), { order: 'flakinessXSamples' })}>
          {rateText(tests.total === 0 ? 0 : tests.flaky / tests.total)} flaky tests
        </a>
      </small>
    </>
  );
}
