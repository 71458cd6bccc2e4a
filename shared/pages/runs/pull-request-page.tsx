/** One pull request: what is new and fixed in its newest run, and its runs. */

import type * as z from 'zod';
import type { Html } from '#shared/engine/html/html.ts';
import { Assertion } from '#shared/pages/design/assertion.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { IssueMarks } from '#shared/pages/design/issue-mark.tsx';
import { getRunOutcome, OutcomeBadge } from '#shared/pages/design/outcome.tsx';
import { Notice, PageHead, Panel, Summary, Tile, TitleOfTest } from '#shared/pages/design/parts.tsx';
import { getRunName } from '#shared/pages/design/run-name.ts';
import { CommitLinks } from '#shared/pages/shell/commit-links.tsx';
import { linkToRun, linkToRuns, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { formatRunDuration, isNewestTry, RunRow } from '#shared/pages/shell/run-row.tsx';
import type { RunComparison, Verdict } from '#shared/results/comparisons/comparison-wire.ts';
import { writeAnswer } from '#shared/results/failures/answer.ts';
import type { RunFeedItem } from '#shared/results/runs/run-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { Answer } from './answer-part.tsx';
import { type Evidence, FurtherErrors, TraceLink, VerdictMark } from './compared-tests.tsx';
import { formatDurationNote, type RunSize } from './duration-note.ts';
import { FailurePicture } from './failure-picture.tsx';
import { formatRunCount } from './pull-requests-page.tsx';

type Run = z.infer<typeof RunFeedItem>;

interface Props {
  readonly visit: ProjectVisit;
  readonly id: string;
  readonly title: string | null;
  /** The runs of the pull request, newest first, at most `maximumRuns` of them. */
  readonly runs: readonly [Run, ...Run[]];
  readonly maximumRuns: number;
  /** The newest run, compared with the last complete run of the default branch. */
  readonly comparison: RunComparison;
  /** The run with which the newest run is compared. */
  readonly base: RunSize | undefined;
  readonly evidence: Pick<Evidence, 'findErrorReading' | 'countFurtherErrors' | 'pictureOf' | 'traceOf'>;
  readonly now: number;
}

/** The sections in the order of their importance for a pull request. */
const SECTIONS: readonly (readonly [Verdict, heading: string])[] = [
  ['new', 'New in this pull request'],
  ['failed', 'Failed'],
  ['still_failing', 'Still failing'],
  ['flaky', 'Flaky'],
  ['fixed', 'Fixed'],
  ['not_run', 'Not run'],
];

/** Failures that the pull request may have caused. */
const WITH_PICTURE: ReadonlySet<Verdict> = new Set(['new', 'failed']);

export function PullRequestPage({ visit, id, title, runs, maximumRuns, comparison, base, evidence, now }: Props): Html {
  const [newestRun] = runs;
  const totalOf = (verdict: Verdict) => comparison.sections.find((one) => one.verdict === verdict)?.total ?? 0;
  const sections = SECTIONS.flatMap(([verdict, heading]) =>
    comparison.sections
      .filter((one) => one.verdict === verdict && one.total > 0)
      .map((section) => ({ ...section, heading })),
  );
  const newCount = totalOf('new') + totalOf('failed');
  const { htmlUrl } = newestRun.meta.commit.ghaEventData ?? {};
  return (
    <>
      <PageHead
        title={title ?? `Pull request ${id}`}
        outcome={getRunOutcome(newestRun)}
        meta={
          <>
            <span>
              <Icon name="git-pull-request" />#{id}
            </span>
            <CommitLinks visit={visit} commit={newestRun.meta.commit} pr={null} />
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
            <a class="button" href={linkToRun(visit, newestRun.runId)}>
              Newest run
            </a>
          </>
        }
      />
      <Answer visit={visit} runId={newestRun.runId} sentences={writeAnswer({ comparison })} now={now} />
      <Summary
        below={
          comparison.base && (
            <span class="soft">
              The newest run, compared with{' '}
              <a href={linkToRun(visit, comparison.base.runId)}>{getRunName(comparison.base)}</a>, the latest earlier
              complete run of {comparison.baseBranch} with the same groups.
            </span>
          )
        }
      >
        <Tile
          label={comparison.base ? 'New failures' : 'Failed'}
          value={newCount}
          tone={newCount > 0 ? 'failed' : undefined}
          note={comparison.base && totalOf('still_failing') > 0 && `${totalOf('still_failing')} still failing`}
        />
        <Tile label="Fixed" value={totalOf('fixed')} tone={totalOf('fixed') > 0 ? 'passed' : undefined} />
        <Tile label="Flaky" value={totalOf('flaky')} tone={totalOf('flaky') > 0 ? 'flaky' : undefined} />
        <Tile label="Duration" value={formatRunDuration(newestRun)} note={formatDurationNote(newestRun, base)} />
      </Summary>
      <div class="stack">
        {!comparison.base && (
          <Notice>
            {comparison.baseBranch} has no earlier complete run with the same groups, so it is not known which failures
            are new.
          </Notice>
        )}
        {sections.map(({ heading, verdict, total, tests }) => (
          <Panel
            title={heading}
            note={total}
            isFlush
            footer={
              tests.length < total && (
                <a href={linkToRun(visit, newestRun.runId, { verdict })}>Show all in the newest run</a>
              )
            }
          >
            <ul class="rows whole">
              {tests.map((test) => {
                const reading = verdict === 'fixed' ? undefined : evidence.findErrorReading(test);
                const picture = WITH_PICTURE.has(verdict) ? evidence.pictureOf(test) : undefined;
                return (
                  <li>
                    <VerdictMark verdict={verdict} />
                    <div class="grow">
                      <a class="whole-link" href={linkToTestOfRun(visit, test)}>
                        <TitleOfTest title={test.title} />
                      </a>
                      <div class="meta">
                        <code>{test.spec}</code>
                        <span>{test.groupId}</span>
                        {test.knownFlaky && <OutcomeBadge outcome="flaky" label="known flaky" />}
                        <IssueMarks issues={test.knownIssues} />
                      </div>
                      {(reading || picture) && (
                        <div class="evidence flush">
                          {reading && (
                            <div>
                              <Assertion reading={reading} isShort />
                              <FurtherErrors visit={visit} test={test} count={evidence.countFurtherErrors(test)} />
                            </div>
                          )}
                          {picture && <FailurePicture visit={visit} test={test} picture={picture} />}
                        </div>
                      )}
                    </div>
                    <TraceLink visit={visit} test={test} trace={evidence.traceOf(test)} />
                  </li>
                );
              })}
            </ul>
          </Panel>
        ))}
        <Panel
          title="Runs"
          note={formatRunCount(runs.length, maximumRuns)}
          isFlush
          footer={
            runs.length >= maximumRuns && <a href={linkToRuns(visit, { pr_id: id })}>All runs of this pull request</a>
          }
        >
          <ul class="rows whole">
            {runs.filter(isNewestTry).map((run) => (
              // The rows of other lists link the pull request. This is its page.
              <RunRow visit={visit} run={{ ...run, meta: { ...run.meta, pr: null } }} now={now} />
            ))}
          </ul>
        </Panel>
      </div>
    </>
  );
}
