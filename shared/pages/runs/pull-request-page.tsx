/** One pull request: what its newest run broke and fixed, and its runs. */
import type * as z from 'zod';
import type { Html } from '#shared/engine/html/html.ts';
import type { ErrorReading } from '#shared/errors/read-error.ts';
import { Assertion } from '#shared/pages/design/assertion.tsx';
import { durationText } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { IssueMarks } from '#shared/pages/design/issue-mark.tsx';
import { OUTCOME_ICONS, OutcomeBadge, runOutcome } from '#shared/pages/design/outcome.tsx';
import { Notice, PageHead, Panel, Summary, Tile } from '#shared/pages/design/parts.tsx';
import { CommitLinks } from '#shared/pages/shell/commit-links.tsx';
import { runHref, runsHref, testOfRunHref } from '#shared/pages/shell/hrefs.ts';
import { RunRow } from '#shared/pages/shell/run-row.tsx';
import type { ComparedTest, RunComparison, Verdict } from '#shared/results/comparison-wire.ts';
import type { RunFeedItem } from '#shared/results/run-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { OUTCOMES, WORDS } from './compared-tests.tsx';
import { runsText } from './pull-requests-page.tsx';

type Run = z.infer<typeof RunFeedItem>;

interface Props {
  readonly visit: ProjectVisit;
  readonly id: string;
  readonly title: string | null;
  /** The runs of the pull request, newest first, at most `most` of them. */
  readonly runs: readonly [Run, ...Run[]];
  readonly most: number;
  /** The newest run, compared with the last complete run of the default branch. */
  readonly comparison: RunComparison;
  /** The duration of the run with which the newest run is compared, in milliseconds. */
  readonly baseDuration: number | undefined;
  /** Returns the error of a test, parsed into its parts. */
  readonly readingOf: (test: Pick<ComparedTest, 'instanceId' | 'testId'>) => ErrorReading | undefined;
  readonly now: number;
}

/** The order of the sections: what is most important for a pull request comes first. */
const VERDICTS: readonly Verdict[] = ['new', 'failed', 'still_failing', 'flaky', 'fixed', 'not_run'];

const TITLES: Readonly<Record<Verdict, string>> = {
  new: 'Broken by this pull request',
  failed: 'Failed',
  still_failing: 'Also failing on the base',
  flaky: 'Flaky',
  fixed: 'Fixed by this pull request',
  not_run: 'Not run',
};

export function PullRequestPage({
  visit,
  id,
  title,
  runs,
  most,
  comparison,
  baseDuration,
  readingOf,
  now,
}: Props): Html {
  const [newest] = runs;
  const { outcome } = runOutcome(newest);
  const totalOf = (verdict: Verdict) => comparison.sections.find((one) => one.verdict === verdict)?.total ?? 0;
  const sections = VERDICTS.flatMap((verdict) => comparison.sections.filter((one) => one.verdict === verdict)).filter(
    ({ total }) => total > 0,
  );
  const { htmlUrl } = newest.meta.commit.ghaEventData ?? {};
  return (
    <>
      <PageHead
        title={title ?? `Pull request ${id}`}
        outcome={{ outcome, label: runOutcome(newest).label }}
        meta={
          <>
            <span>
              <Icon name="git-pull-request" />#{id}
            </span>
            <CommitLinks visit={visit} commit={newest.meta.commit} pr={null} />
          </>
        }
        actions={
          <>
            {htmlUrl?.startsWith('https://github.com/') && (
              <a class="button quiet" href={htmlUrl} rel="noreferrer">
                <Icon name="external-link" />
                GitHub
              </a>
            )}
            <a class="button" href={runHref(visit, newest.runId)}>
              Newest run
            </a>
          </>
        }
      />
      <Summary
        below={
          comparison.base && (
            <span class="soft">
              The newest run, compared with{' '}
              <a href={runHref(visit, comparison.base.runId)}>{comparison.base.title ?? comparison.base.ciBuildId}</a>,
              the latest earlier complete run of {comparison.baseBranch} with the same groups.
            </span>
          )
        }
      >
        <Tile
          label={comparison.base ? 'Broken' : 'Failed'}
          value={totalOf('new') + totalOf('failed')}
          tone={totalOf('new') + totalOf('failed') > 0 ? 'failed' : undefined}
          note={
            comparison.base && totalOf('still_failing') > 0 && `${totalOf('still_failing')} also failing on the base`
          }
        />
        <Tile label="Fixed" value={totalOf('fixed')} tone={totalOf('fixed') > 0 ? 'passed' : undefined} />
        <Tile label="Flaky" value={totalOf('flaky')} tone={totalOf('flaky') > 0 ? 'flaky' : undefined} />
        <Tile
          label="Duration"
          value={newest.durationMs === null ? 'running' : durationText(newest.durationMs)}
          note={newest.durationMs !== null && baseDuration !== undefined && `${durationText(baseDuration)} on the base`}
        />
      </Summary>
      <div class="stack">
        {!comparison.base && (
          <Notice>
            {comparison.baseBranch} has no earlier complete run with the same groups, so it is not known which failures
            are new.
          </Notice>
        )}
        {sections.map(({ verdict, total, tests }) => (
          <Panel
            title={TITLES[verdict]}
            note={total}
            isFlush
            footer={
              tests.length < total && <a href={runHref(visit, newest.runId, { verdict })}>Show all in the newest run</a>
            }
          >
            <ul class="rows whole">
              {tests.map((test) => (
                <li>
                  <span title={WORDS[verdict]}>
                    <Icon name={OUTCOME_ICONS[OUTCOMES[verdict]].mark} tone={OUTCOMES[verdict]} />
                    <span class="hidden-text">{WORDS[verdict]}:</span>
                  </span>
                  <div class="grow">
                    <a class="whole-link" href={testOfRunHref(visit, test)}>
                      {test.title.length > 1 && <span class="path">{test.title.slice(0, -1).join(' › ')} › </span>}
                      {test.title.at(-1)}
                    </a>
                    <div class="meta">
                      <code>{test.spec}</code>
                      <span>{test.groupId}</span>
                      {test.knownFlaky && <OutcomeBadge outcome="flaky" label="known flaky" />}
                      <IssueMarks issues={test.knownIssues} />
                    </div>
                    {verdict !== 'fixed' && <Reading reading={readingOf(test)} />}
                  </div>
                </li>
              ))}
            </ul>
          </Panel>
        ))}
        <Panel
          title="Runs"
          note={runsText(runs.length, most)}
          isFlush
          footer={runs.length >= most && <a href={runsHref(visit, { pr_id: id })}>All runs of this pull request</a>}
        >
          <ul class="rows whole">
            {runs.map((run) => (
              <RunRow
                visit={visit}
                run={{ ...run, meta: { ...run.meta, pr: null } }}
                title={run.meta.title ?? run.meta.ciBuildId}
                href={runHref(visit, run.runId)}
                now={now}
              />
            ))}
          </ul>
        </Panel>
      </div>
    </>
  );
}

const Reading = ({ reading }: { readonly reading: ErrorReading | undefined }): Html =>
  reading ? <Assertion reading={reading} isShort /> : <></>;
