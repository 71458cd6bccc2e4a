/**
 * The part of a page that compares a run with an earlier run, the base run. It has a section for each verdict that
 * occurs.
 */

import type { Html } from '#shared/engine/html/html.ts';
import { formatQuantity, toSentenceCase } from '#shared/pages/design/format.tsx';
import { GroupHead, Notice, Tabs, TitleOfTest } from '#shared/pages/design/parts.tsx';
import { linkToRun, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { NumberedLinks } from '#shared/pages/shell/paging.tsx';
import type { ComparedOrProblem } from '#shared/results/comparisons/compare-runs.ts';
import type { ComparisonQuery, RunComparison, Verdict } from '#shared/results/comparisons/comparison-wire.ts';
import { VERDICT_WORDS } from '#shared/results/comparisons/verdict-words.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { VerdictMark } from './compared-test.tsx';
import { ComparedTests } from './compared-tests.tsx';
import type { Evidence } from './evidence.ts';

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

/** How many tests have the verdict. */
export const getTotal = ({ sections }: RunComparison, verdict: Verdict): number =>
  sections.find((section) => section.verdict === verdict)?.total ?? 0;

/** The page of the run with some of its sections. It keeps the base that the person chose. */
const linkToSection = (
  { visit, comparison, query }: Pick<SectionProps, 'visit' | 'comparison' | 'query'>,
  parts: Partial<Pick<ComparisonQuery, 'verdict' | 'cause' | 'page'>>,
): string => linkToRun(visit, comparison.runId, { base_run_id: query.base_run_id, ...parts });

export function Comparison({ visit, compared, query, evidence, now }: ComparisonProps): Html {
  const { comparison } = compared;
  const sections = comparison.sections.filter(({ total }) => total > 0);
  const visibleSections = sections.filter(({ verdict }) => query.verdict === undefined || query.verdict === verdict);
  const hrefOf = (verdict?: Verdict) => linkToSection({ visit, comparison, query }, { verdict });
  return (
    <section id="comparison" aria-label="Failures">
      {sections.length > 1 && (
        <Tabs
          label="Sections of the comparison"
          tabs={[
            { name: 'All', href: hrefOf(), isCurrent: query.verdict === undefined },
            ...sections.map(({ verdict, total }) => ({
              name: nameSection(verdict),
              href: hrefOf(verdict),
              isCurrent: verdict === query.verdict,
              count: total,
            })),
          ]}
        />
      )}
      {!comparison.isWhole && <Notice>{describeLowerBounds(comparison)}</Notice>}
      {visibleSections.map((section) => (
        <ComparedSection {...{ visit, comparison, query, evidence, now, section }} />
      ))}
    </section>
  );
}

interface SectionProps extends Omit<ComparisonProps, 'compared'> {
  readonly comparison: RunComparison;
  readonly section: Section;
}

function ComparedSection({ visit, comparison, query, evidence, now, section }: SectionProps): Html {
  const { verdict } = section;
  const href = linkToSection({ visit, comparison, query }, { verdict });
  const linkToCause = (cause: string) => linkToSection({ visit, comparison, query }, { verdict, cause });
  return (
    <>
      <GroupHead
        title={nameSection(verdict)}
        note={[formatSectionCount(section), NOTES[verdict]].filter(Boolean).join(', ')}
      />
      {verdict !== 'not_run' && query.cause !== undefined && (
        <p>
          Only tests with one cause. <a href={href}>Show all causes</a>
        </p>
      )}
      {verdict === 'not_run' ? (
        <NotRun visit={visit} section={section} />
      ) : (
        <ComparedTests
          visit={visit}
          section={section}
          evidence={evidence}
          now={now}
          linkToCause={query.cause === undefined ? linkToCause : undefined}
          isShort={query.verdict === undefined && verdict !== 'flaky'}
        />
      )}
      <More
        query={query}
        section={section}
        hrefOf={(page) => linkToSection({ visit, comparison, query }, { verdict, cause: query.cause, page })}
      />
    </>
  );
}

/** So many lines are short enough to be seen at once. */
const OPEN_NOT_RUN = 3;

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

/** The failures of the run itself are usually complete, although those of its base are not. */
function describeLowerBounds({ sections }: RunComparison): string {
  const cutNames = sections.filter(({ isLowerBound }) => isLowerBound).map(({ verdict }) => nameSection(verdict));
  return `There are too many failures, here or in the base run, to compare all of them. More tests may be listed under: ${cutNames.join(', ')}.`;
}

/** A test that fails in two browsers counts as two tests, as in the tiles above and as test runners count. */
function formatSectionCount({ verdict, total, isLowerBound, causeCount = total }: Section): string {
  const count = `${isLowerBound ? 'at least ' : ''}${formatQuantity(total, 'test')}`;
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
