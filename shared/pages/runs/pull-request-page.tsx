/** One pull request: what is new and fixed in its newest run, and its runs. */

import type * as z from 'zod';
import type { Html } from '#shared/engine/html/html.ts';
import { Assertion } from '#shared/pages/design/assertion.tsx';
import { formatQuantity } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { IssueMarks } from '#shared/pages/design/issue-mark.tsx';
import { OutcomeBadge } from '#shared/pages/design/outcome.tsx';
import { Notice, PageHead, Panel, Summary, Tile, TitleOfTest } from '#shared/pages/design/parts.tsx';
import { formatRunName } from '#shared/pages/design/run-name.ts';
import { getRunOutcome } from '#shared/pages/design/run-outcome.ts';
import { QuarantineControl } from '#shared/pages/rules/quarantine-control.tsx';
import { CommitLinks } from '#shared/pages/shell/commit-links.tsx';
import { linkToRun, linkToRuns, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { formatRunDuration, isNewestTry, RunRow } from '#shared/pages/shell/run-row.tsx';
import type { ComparedTest, RunComparison, Verdict } from '#shared/results/comparisons/comparison-wire.ts';
import { writeAnswer } from '#shared/results/failures/answer.ts';
import type { RunFeedItem } from '#shared/results/runs/run-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { Answer } from './answer-part.tsx';
import { FurtherErrors, mayOfferQuarantine, TraceLink, VerdictMark } from './compared-test.tsx';
import { getTotal } from './comparison-part.tsx';
import { formatDurationNote, type RunSize } from './duration-note.ts';
import { type Evidence, MAY_BE_CAUSED_HERE } from './evidence.ts';
import { FailurePicture } from './failure-picture.tsx';

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
  readonly evidence: Pick<
    Evidence,
    'findErrorReading' | 'countFurtherErrors' | 'pictureOf' | 'traceOf' | 'quarantineOf'
  >;
  readonly now: number;
}

/** The sections in the order of their importance for a pull request. */
const SECTIONS: readonly { readonly verdict: Verdict; readonly heading: string }[] = [
  { verdict: 'new', heading: 'New in this pull request' },
  { verdict: 'failed', heading: 'Failed' },
  { verdict: 'still_failing', heading: 'Still failing' },
  { verdict: 'flaky', heading: 'Flaky' },
  { verdict: 'fixed', heading: 'Fixed' },
  { verdict: 'not_run', heading: 'Not run' },
];

export function PullRequestPage(props: Props): Html {
  const { visit, id, title, runs, comparison, now } = props;
  const [newestRun] = runs;
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
        actions={<PageActions visit={visit} newestRun={newestRun} />}
      />
      <Answer
        {...{ visit, now }}
        runId={newestRun.runId}
        sentences={writeAnswer({ comparison })}
        quarantineOf={props.evidence.quarantineOf}
      />
      <Numbers {...props} newestRun={newestRun} />
      <div class="stack">
        {!comparison.base && (
          <Notice>
            {comparison.baseBranch} has no earlier complete run with the same groups, so it is not known which failures
            are new.
          </Notice>
        )}
        {SECTIONS.map(({ verdict, heading }) => (
          <SectionPanel {...props} newestRun={newestRun} verdict={verdict} heading={heading} />
        ))}
        <RunsPanel {...props} />
      </div>
    </>
  );
}

function PageActions({ visit, newestRun }: Pick<Props, 'visit'> & { readonly newestRun: Run }): Html {
  const { htmlUrl } = newestRun.meta.commit.ghaEventData ?? {};
  return (
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
  );
}

function Numbers({
  visit,
  comparison,
  base: baseSize,
  newestRun,
}: Pick<Props, 'visit' | 'comparison' | 'base'> & { readonly newestRun: Run }): Html {
  const { base, baseBranch } = comparison;
  const newCount = getTotal(comparison, 'new') + getTotal(comparison, 'failed');
  const knownCount = getTotal(comparison, 'still_failing');
  const fixedCount = getTotal(comparison, 'fixed');
  const flakyCount = getTotal(comparison, 'flaky');
  return (
    <Summary
      below={
        base && (
          <span class="soft">
            The newest run, compared with <a href={linkToRun(visit, base.runId)}>{formatRunName(base)}</a>, the latest
            earlier complete run of {baseBranch} with the same groups.
          </span>
        )
      }
    >
      <Tile
        label={base ? 'New failures' : 'Failed'}
        value={newCount}
        tone={newCount > 0 ? 'failed' : undefined}
        note={base && knownCount > 0 && `${knownCount} still failing`}
      />
      <Tile label="Fixed" value={fixedCount} tone={fixedCount > 0 ? 'passed' : undefined} />
      <Tile label="Flaky" value={flakyCount} tone={flakyCount > 0 ? 'flaky' : undefined} />
      <Tile label="Duration" value={formatRunDuration(newestRun)} note={formatDurationNote(newestRun, baseSize)} />
    </Summary>
  );
}

interface SectionProps extends Pick<Props, 'visit' | 'comparison' | 'evidence' | 'now'> {
  readonly newestRun: Run;
  readonly verdict: Verdict;
  readonly heading: string;
}

function SectionPanel({ visit, comparison, evidence, newestRun, verdict, heading, now }: SectionProps): Html {
  const section = comparison.sections.find((one) => one.verdict === verdict);
  if (!section || section.total === 0) return <></>;
  const { tests, total } = section;
  return (
    <Panel
      title={heading}
      note={total}
      isFlush
      footer={
        tests.length < total && <a href={linkToRun(visit, newestRun.runId, { verdict })}>Show all in the newest run</a>
      }
    >
      <ul class="rows whole">
        {tests.map((test) => (
          <TestRow {...{ visit, verdict, test, evidence, now }} />
        ))}
      </ul>
    </Panel>
  );
}

interface RowProps extends Pick<SectionProps, 'visit' | 'verdict' | 'evidence' | 'now'> {
  readonly test: ComparedTest;
}

function TestRow({ visit, verdict, test, evidence, now }: RowProps): Html {
  const rule = evidence.quarantineOf(test);
  const reading = verdict === 'fixed' ? undefined : evidence.findErrorReading(test);
  const picture = MAY_BE_CAUSED_HERE.has(verdict) ? evidence.pictureOf(test) : undefined;
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
      {mayOfferQuarantine(verdict, test, rule) && <QuarantineControl {...{ visit, test, rule, now }} isOfRun />}
    </li>
  );
}

const RunsPanel = ({ visit, id, runs, maximumRuns, now }: Props): Html => (
  <Panel
    title="Runs"
    note={formatRunCount(runs.length, maximumRuns)}
    isFlush
    footer={runs.length >= maximumRuns && <a href={linkToRuns(visit, { pr_id: id })}>All runs of this pull request</a>}
  >
    <ul class="rows whole">
      {runs.filter(isNewestTry).map((run) => (
        // The rows of other lists link the pull request. This is its page.
        <RunRow visit={visit} run={{ ...run, meta: { ...run.meta, pr: null } }} now={now} />
      ))}
    </ul>
  </Panel>
);

/** The number of runs as text, such as `3 runs`, or `the last 50 runs` if the page lists only the newest runs. */
const formatRunCount = (count: number, most: number): string =>
  count < most ? formatQuantity(count, 'run') : `the last ${formatQuantity(most, 'run')}`;
