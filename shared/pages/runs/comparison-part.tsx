/**
 * The part of a page that compares a run with an earlier run, the base run. It has a section for each verdict that
 * occurs.
 */

import type { Html } from '#shared/engine/html/html.ts';
import { TextField } from '#shared/pages/design/fields.tsx';
import { Ago, FullTime, formatDuration, formatQuantity, toSentenceCase } from '#shared/pages/design/format.tsx';
import { OutcomeMark } from '#shared/pages/design/outcome.tsx';
import { GroupHead, Notice, Panel, Tabs, TitleOfTest } from '#shared/pages/design/parts.tsx';
import { getRunName, isMadeUpBuildId } from '#shared/pages/design/run-name.ts';
import { linkToRun, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { NumberedLinks } from '#shared/pages/shell/paging.tsx';
import type { BaseChoice } from '#shared/results/comparisons/choose-base.ts';
import type { ComparedOrProblem } from '#shared/results/comparisons/compare-runs.ts';
import type { ComparisonQuery, RunComparison, Verdict } from '#shared/results/comparisons/comparison-wire.ts';
import { VERDICT_WORDS } from '#shared/results/comparisons/verdict-words.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { ComparedTests, type Evidence, VerdictMark } from './compared-tests.tsx';

export interface ComparisonProps {
  readonly visit: ProjectVisit;
  readonly compared: ComparedOrProblem;
  readonly query: Pick<ComparisonQuery, 'base_run_id' | 'verdict' | 'cause' | 'page'>;
  readonly evidence: Evidence;
  readonly now: number;
}

const nameSection = (verdict: Verdict): string =>
  verdict === 'new' ? 'New in this run' : toSentenceCase(VERDICT_WORDS[verdict]);

const NOTES: Readonly<Record<Verdict, string>> = {
  new: '',
  still_failing: 'not caused by this commit',
  failed: '',
  flaky: 'passed on a retry, does not fail the run',
  fixed: 'failed before, passed here',
  not_run: 'skipped because of another failure, or failed before and did not run here',
};

type Section = RunComparison['sections'][number];

export function Comparison({ visit, compared, query, evidence, now }: ComparisonProps): Html {
  const { comparison } = compared;
  const sections = comparison.sections.filter(({ total }) => total > 0);
  const visibleSections = sections.filter(({ verdict }) => query.verdict === undefined || query.verdict === verdict);
  const hrefOf = (of: Partial<Pick<ComparisonQuery, 'verdict' | 'cause' | 'page'>>) =>
    linkToRun(visit, comparison.runId, { base_run_id: query.base_run_id, ...of });
  return (
    <section id="comparison" aria-label="Failures">
      {sections.length > 1 && (
        <Tabs
          label="Sections of the comparison"
          tabs={[
            { name: 'All', href: hrefOf({}), isCurrent: query.verdict === undefined },
            ...sections.map(({ verdict, total }) => ({
              name: nameSection(verdict),
              href: hrefOf({ verdict }),
              isCurrent: verdict === query.verdict,
              count: total,
            })),
          ]}
        />
      )}
      {!comparison.isWhole && (
        <Notice>
          This run, or the run that it is compared with, has too many failures to compare all of them. The actual counts
          may be higher.
        </Notice>
      )}
      {visibleSections.map((section) => (
        <>
          <GroupHead
            title={nameSection(section.verdict)}
            note={[formatSectionCount(comparison, section), NOTES[section.verdict]].filter(Boolean).join(', ')}
          />
          {section.verdict === 'not_run' ? (
            <NotRun visit={visit} section={section} />
          ) : (
            <>
              {query.cause !== undefined && (
                <p>
                  Only tests with one cause. <a href={hrefOf({ verdict: section.verdict })}>Show all causes</a>
                </p>
              )}
              <ComparedTests
                visit={visit}
                section={section}
                evidence={evidence}
                now={now}
                linkToCause={
                  query.cause === undefined ? (cause) => hrefOf({ verdict: section.verdict, cause }) : undefined
                }
                isShort={query.verdict === undefined && section.verdict !== 'flaky'}
              />
            </>
          )}
          <More
            query={query}
            section={section}
            hrefOf={(page) => hrefOf({ verdict: section.verdict, cause: query.cause, page })}
          />
        </>
      ))}
    </section>
  );
}

/** Tests that did not run have no errors of their own, so each takes one line. */
const NotRun = ({
  visit,
  section: { tests, total },
}: {
  readonly visit: ProjectVisit;
  readonly section: Section;
}): Html =>
  tests.length === 0 ? (
    <></>
  ) : (
    <details class="panel" open={total <= OPEN_NOT_RUN}>
      <summary class="pad">{formatQuantity(tests.length, 'test')}</summary>
      <ul class="rows whole">
        {tests.map((test) => (
          <li>
            <VerdictMark verdict="not_run" />
            <div class="grow">
              <a class="whole-link" href={linkToTestOfRun(visit, test)}>
                <TitleOfTest title={test.title} />
              </a>
              <div class="meta">
                <code>{test.spec}</code>
                <span>{test.groupId}</span>
              </div>
            </div>
          </li>
        ))}
      </ul>
    </details>
  );

/** So many lines are short enough to be seen at once. */
const OPEN_NOT_RUN = 3;

/** A test that fails in two browsers counts as two tests, as in the tiles above and as test runners count. */
function formatSectionCount({ isWhole }: RunComparison, { verdict, total, causeCount = total }: Section): string {
  const count = `${isWhole ? '' : 'at least '}${formatQuantity(total, 'test')}`;
  return verdict !== 'flaky' && causeCount < total ? `${count}, ${formatQuantity(causeCount, 'cause')}` : count;
}

interface MoreProps extends Pick<ComparisonProps, 'query'> {
  readonly section: Section;
  readonly hrefOf: (page: number) => string;
}

function More({ query, section: { verdict, nextPage, tests, total, causeCount }, hrefOf }: MoreProps): Html {
  // The sections share one page, so a link leads to a page with only this section.
  if (query.verdict === undefined && nextPage !== false) {
    // The only card already leads to all tests of its cause.
    if (causeCount === 1 && tests.length > 0) return <></>;
    return (
      <p>
        <a href={hrefOf(0)}>
          Show {tests.length > 0 && 'all '}
          {formatQuantity(total, 'test')}
        </a>
      </p>
    );
  }
  const page = tests.length > 0 ? query.page : 0;
  if (page === 0 && nextPage === false) return <></>;
  return <NumberedLinks label={`Pages of ${nameSection(verdict)}`} page={page} nextPage={nextPage} href={hrefOf} />;
}

interface ComparedWithProps extends Pick<ComparisonProps, 'visit' | 'compared' | 'query'> {
  readonly run: { readonly runId: string; readonly createdAt: string };
  /** What the person entered to choose another base. */
  readonly base: string | undefined;
  /** The runs to choose from. `undefined` until the person asks for them. */
  readonly choices: readonly BaseChoice[] | undefined;
  readonly now: number;
}

export function ComparedWith({ visit, compared, query, run, base: text, choices, now }: ComparedWithProps): Html {
  const { comparison, problem } = compared;
  const { base, baseBranch, runId } = comparison;
  const isChosen = query.base_run_id !== undefined || text !== undefined;
  return (
    <Panel title="Compared with" id="base">
      {base ? (
        <>
          <p>
            <OutcomeMark outcome={base.status === 'PASSED' ? 'passed' : 'failed'} />{' '}
            <a href={linkToRun(visit, base.runId)}>{getRunName(base)}</a>
          </p>
          <p class="soft">
            {[base.branch, base.sha?.slice(0, 7), !isMadeUpBuildId(base.ciBuildId) && base.ciBuildId]
              .filter(Boolean)
              .join(' · ')}{' '}
            · <FullTime at={base.createdAt} />
          </p>
          <BaseAge milliseconds={Date.parse(run.createdAt) - Date.parse(base.createdAt)} />
        </>
      ) : (
        <p class="soft">
          Nothing to compare with: the branch <code>{baseBranch}</code> has no earlier complete run with the same
          groups.
        </p>
      )}
      {isChosen && (
        <p>
          <a href={linkToRun(visit, runId)}>Compare with the default branch</a>
        </p>
      )}
      {choices === undefined && problem === undefined ? (
        <p>
          <a href={`${linkToRun(visit, runId, { choose: 'base' })}#base`}>Choose another run</a>
        </p>
      ) : (
        <>
          {problem !== undefined && (
            <Notice tone="failed" isAlert>
              <strong>The chosen run cannot be used.</strong> The failures are compared with the latest earlier complete
              run of the default branch with the same groups, if there is one.
            </Notice>
          )}
          <BaseChoices visit={visit} runId={runId} choices={choices ?? []} now={now} />
          <form class="filters" method="get" action={linkToRun(visit, runId)} aria-label="Compare with another run">
            <TextField
              label="Address, build or commit"
              name="base"
              value={text ?? query.base_run_id}
              hint={problem?.message ?? 'Of a complete run: the address of its page, its build, or its commit'}
            />
            <button type="submit" class="quiet">
              Compare
            </button>
          </form>
        </>
      )}
    </Panel>
  );
}

const DAY = 24 * 60 * 60 * 1000;
/** An older base may differ in more than this change. */
const OLD_DAYS = 2;

function BaseAge({ milliseconds }: { readonly milliseconds: number }): Html {
  const days = Math.floor(Math.abs(milliseconds) / DAY);
  const age = days > 0 ? formatQuantity(days, 'day') : formatDuration(Math.abs(milliseconds));
  const text = `${age} ${milliseconds < 0 ? 'newer' : 'older'} than this run`;
  return <p class={days >= OLD_DAYS ? 'word flaky' : 'soft'}>{text}</p>;
}

const REASONS: Readonly<Record<BaseChoice['reason'], string>> = {
  branch: 'previous of this branch',
  default: 'latest of the default branch',
  commit: 'same commit',
  other: 'latest of its branch',
};

interface BaseChoicesProps {
  readonly visit: ProjectVisit;
  readonly runId: string;
  readonly choices: readonly BaseChoice[];
  readonly now: number;
}

const BaseChoices = ({ visit, runId, choices, now }: BaseChoicesProps): Html =>
  choices.length === 0 ? (
    <></>
  ) : (
    <ul class="rows" aria-label="Runs to compare with">
      {choices.map(({ run, reason }) => (
        <li>
          <OutcomeMark outcome={run.status === 'PASSED' ? 'passed' : 'failed'} size="small" />
          <div class="grow">
            <a href={linkToRun(visit, runId, { base_run_id: run.runId })}>
              {run.commit.message?.split('\n', 1)[0] || run.ciBuildId}
            </a>
            <div class="meta">
              <span>{REASONS[reason]}</span>
              <span>{[run.commit.branch, run.commit.sha?.slice(0, 7)].filter(Boolean).join(' · ')}</span>
              <Ago at={run.createdAt} now={now} />
            </div>
          </div>
        </li>
      ))}
    </ul>
  );
