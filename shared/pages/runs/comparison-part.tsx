/**
 * The part of a page that compares a run with an earlier run, the base run. It has a section for each verdict that
 * occurs.
 */

import type { Html } from '#shared/engine/html/html.ts';
import { TextField } from '#shared/pages/design/fields.tsx';
import { FullTime, formatQuantity } from '#shared/pages/design/format.tsx';
import { OutcomeMark } from '#shared/pages/design/outcome.tsx';
import { GroupHead, Notice, Panel, Tabs } from '#shared/pages/design/parts.tsx';
import { getRunName, isMadeUp } from '#shared/pages/design/run-name.ts';
import { linkToRun } from '#shared/pages/shell/hrefs.ts';
import { NumberedLinks } from '#shared/pages/shell/paging.tsx';
import type { ComparedOrProblem } from '#shared/results/compare-runs.ts';
import type { ComparisonQuery, RunComparison, Verdict } from '#shared/results/comparison-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { ComparedTests, type Evidence } from './compared-tests.tsx';

export interface ComparisonProps {
  readonly visit: ProjectVisit;
  readonly compared: ComparedOrProblem;
  readonly query: Pick<ComparisonQuery, 'base_run_id' | 'verdict' | 'cause' | 'page'>;
  readonly evidence: Evidence;
  readonly now: number;
}

const TITLES: Readonly<Record<Verdict, string>> = {
  new: 'New in this run',
  still_failing: 'Already failing before',
  failed: 'Failed',
  flaky: 'Flaky',
  fixed: 'Fixed',
  not_run: 'Not run',
};

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
              name: TITLES[verdict],
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
            title={TITLES[section.verdict]}
            note={[formatSectionCount(comparison, section), NOTES[section.verdict]].filter(Boolean).join(', ')}
          />
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
            linkToCause={query.cause === undefined ? (cause) => hrefOf({ verdict: section.verdict, cause }) : undefined}
            isShort={query.verdict === undefined && section.verdict !== 'flaky'}
          />
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

/** A test that fails in two browsers has two results. Tests can be counted only if all results are shown. */
function formatSectionCount(comparison: RunComparison, section: Section): string {
  const { verdict, total, causeCount = total } = section;
  const count = formatTestCount(comparison, section);
  return verdict !== 'flaky' && causeCount < total ? `${count}, ${formatQuantity(causeCount, 'cause')}` : count;
}

function formatTestCount({ isWhole }: RunComparison, { total, tests }: Section): string {
  if (!isWhole) return `at least ${formatQuantity(total, 'result')}`;
  if (total > 1 && tests.length < total) return formatQuantity(total, 'result');
  const distinct = total === 1 ? 1 : new Set(tests.map(({ signature }) => signature)).size;
  return distinct < total
    ? `${formatQuantity(distinct, 'test')}, ${formatQuantity(total, 'result')}`
    : formatQuantity(distinct, 'test');
}

interface MoreProps extends Pick<ComparisonProps, 'query'> {
  readonly section: Section;
  readonly hrefOf: (page: number) => string;
}

function More({ query, section: { verdict, nextPage, tests, total }, hrefOf }: MoreProps): Html {
  // The sections share one page, so a link leads to a page with only this section.
  if (query.verdict === undefined && nextPage !== false)
    return (
      <p>
        <a href={hrefOf(0)}>
          Show {tests.length > 0 && 'all '}
          {formatQuantity(total, 'result')}
        </a>
      </p>
    );
  const page = tests.length > 0 ? query.page : 0;
  if (page === 0 && nextPage === false) return <></>;
  return <NumberedLinks label={`Pages of ${TITLES[verdict]}`} page={page} nextPage={nextPage} href={hrefOf} />;
}

export function ComparedWith({ visit, compared, query }: Pick<ComparisonProps, 'visit' | 'compared' | 'query'>): Html {
  const { comparison, problem } = compared;
  const { base, baseBranch, runId } = comparison;
  return (
    <Panel title="Compared with">
      {base ? (
        <>
          <p>
            <OutcomeMark outcome={base.status === 'PASSED' ? 'passed' : 'failed'} />{' '}
            <a href={linkToRun(visit, base.runId)}>{getRunName(base)}</a>
          </p>
          <p class="soft">
            {[base.branch, base.sha?.slice(0, 7), !isMadeUp(base.ciBuildId) && base.ciBuildId]
              .filter(Boolean)
              .join(' · ')}{' '}
            · <FullTime at={base.createdAt} />
          </p>
        </>
      ) : (
        <p class="soft">
          Nothing to compare with: the branch <code>{baseBranch}</code> has no earlier complete run with the same
          groups.
        </p>
      )}
      <details open={problem !== undefined}>
        <summary>Choose another run</summary>
        {problem !== undefined && (
          <Notice tone="failed" isAlert>
            <strong>The chosen run cannot be used.</strong> The failures are compared with the latest earlier complete
            run of the default branch with the same groups, if there is one.
          </Notice>
        )}
        <form class="filters" method="get" action={linkToRun(visit, runId)} aria-label="Compare with another run">
          <TextField
            label="Run id"
            name="base_run_id"
            value={query.base_run_id}
            hint={problem?.message ?? 'The id of a complete run: the last part of the address of its page'}
          />
          <button type="submit" class="quiet">
            Compare
          </button>
          {query.base_run_id !== undefined && <a href={linkToRun(visit, runId)}>Compare with the default branch</a>}
        </form>
      </details>
    </Panel>
  );
}
