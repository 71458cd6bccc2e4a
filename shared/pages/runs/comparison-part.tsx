/** Compares a run with an earlier one: the base run, and a section for each verdict that occurs. */
import type { Html } from '#shared/engine/html/html.ts';
import { TextField } from '#shared/pages/design/fields.tsx';
import { counted, FullTime } from '#shared/pages/design/format.tsx';
import { OutcomeBadge } from '#shared/pages/design/outcome.tsx';
import { runHref } from '#shared/pages/shell/hrefs.ts';
import type { ComparedOrProblem } from '#shared/results/compare-runs.ts';
import type { ComparisonQuery, RunComparison, Verdict } from '#shared/results/comparison-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { ComparedTests, type StripOf, type TraceLinkOf } from './compared-tests.tsx';

export interface ComparisonProps {
  readonly visit: ProjectVisit;
  readonly compared: ComparedOrProblem;
  readonly query: Pick<ComparisonQuery, 'base_run_id' | 'verdict' | 'page'>;
  /** The latest trace of a test. */
  readonly traceOf: TraceLinkOf;
  readonly stripOf: StripOf;
  /** Number of expected tests that never reported, in a run that has ended. */
  readonly unreported: number;
}

const TITLES: Readonly<Record<Verdict, string>> = {
  new: 'New failures',
  still_failing: 'Still failing',
  failed: 'Failures',
  flaky: 'Flaky: passed on retry',
  fixed: 'Fixed',
  not_run: 'Not run',
};

/** The section that is open by default. */
const openSection = ({ sections }: RunComparison, chosen: Verdict | undefined) =>
  sections.find(({ verdict, total }) => total > 0 && (chosen === undefined || chosen === verdict));

export function Comparison({ visit, compared, query, unreported, traceOf, stripOf }: ComparisonProps): Html {
  const { comparison, problem } = compared;
  const found = comparison.sections.filter(({ total }) => total > 0);
  const open = openSection(comparison, query.verdict);
  return (
    <section id="comparison">
      <h2>{found.length > 0 ? 'Failures' : 'No failures'}</h2>
      <BaseLine visit={visit} comparison={comparison} />
      <Sections visit={visit} runId={comparison.runId} sections={found} query={query} />
      {!comparison.isWhole && (
        <p class="notice">
          This run or its base run has too many failures to compare all of them. The counts are lower bounds.
        </p>
      )}
      {found.map((section) => (
        <details open={section === open}>
          <summary>
            <strong>{TITLES[section.verdict]}</strong> ({countOf(comparison, section)})
          </summary>
          <ComparedTests visit={visit} section={section} traceOf={traceOf} stripOf={stripOf} />
          <More visit={visit} runId={comparison.runId} section={section} query={query} />
        </details>
      ))}
      {unreported > 0 && <p>{counted(unreported, 'expected test')} never reported a result. See the spec files.</p>}
      <OtherBase visit={visit} runId={comparison.runId} asked={query.base_run_id} problem={problem?.message} />
    </section>
  );
}

/** A test that fails in two browsers is one test with two results. Distinct tests are known only for the shown ones. */
function countOf({ isWhole }: RunComparison, { total, tests }: Section): string {
  if (!isWhole) return `at least ${counted(total, 'result')}`;
  if (total > 1 && tests.length < total) return counted(total, 'result');
  const distinct = total === 1 ? 1 : new Set(tests.map(({ signature }) => signature)).size;
  return distinct < total ? `${counted(distinct, 'test')}, ${counted(total, 'result')}` : counted(distinct, 'test');
}

const BaseLine = ({ visit, comparison }: { visit: ProjectVisit; comparison: RunComparison }): Html => {
  const { base, baseBranch } = comparison;
  if (!base)
    return (
      <p class="soft">
        Nothing to compare with: the branch <code>{baseBranch}</code> has no earlier complete run with the same groups.
      </p>
    );
  const outcome = base.status === 'PASSED' ? 'passed' : 'failed';
  return (
    <p>
      Compared with <a href={runHref(visit, base.runId)}>{base.title ?? base.ciBuildId}</a>{' '}
      <OutcomeBadge outcome={outcome} />{' '}
      <span class="soft">
        {[base.branch, base.sha?.slice(0, 7), base.ciBuildId].filter(Boolean).join(' · ')} ·{' '}
        <FullTime at={base.createdAt} />
      </span>
    </p>
  );
};

type Section = RunComparison['sections'][number];
type Linked = Pick<ComparisonProps, 'visit' | 'query'> & { readonly runId: string };

/** Links to each section on its own page. */
const Sections = ({ visit, query, runId, sections }: Linked & { readonly sections: readonly Section[] }): Html => (
  <>
    {sections.length > 0 && (
      <nav aria-label="Sections of the comparison">
        <ul class="counts">
          {sections.map(({ verdict, total }) => (
            <li>
              <a
                href={runHref(visit, runId, { base_run_id: query.base_run_id, verdict })}
                aria-current={verdict === query.verdict ? 'page' : undefined}
              >
                {TITLES[verdict]} {total}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    )}
  </>
);

/** Links to the remaining tests of a section. */
function More({ visit, query, runId, section }: Linked & { readonly section: Section }): Html {
  const { verdict, nextPage, tests, total } = section;
  const to = (page: number) => runHref(visit, runId, { base_run_id: query.base_run_id, verdict, page });
  const isOther = query.verdict !== undefined && query.verdict !== verdict;
  // The sections above used up the tests of this page.
  const isCut = query.verdict === undefined && nextPage === 0;
  if (isOther || isCut)
    return (
      <a href={to(0)}>
        Show {tests.length > 0 && 'all '}
        {counted(total, 'test')}
      </a>
    );
  const previous = tests.length > 0 && query.page > 0 ? query.page - 1 : undefined;
  if (previous === undefined && nextPage === false) return <span hidden />;
  return (
    <nav class="pages" aria-label={`Pages of ${TITLES[verdict]}`}>
      <span>{previous !== undefined && <a href={to(previous)}>← Previous</a>}</span>
      <span>{nextPage !== false && <a href={to(nextPage)}>Next →</a>}</span>
    </nav>
  );
}

interface OtherBaseProps {
  readonly visit: ProjectVisit;
  readonly runId: string;
  readonly asked: string | undefined;
  readonly problem: string | undefined;
}

const OtherBase = ({ visit, runId, asked, problem }: OtherBaseProps): Html => (
  <details open={problem !== undefined}>
    <summary>Compare with another run</summary>
    {problem !== undefined && (
      <p class="notice problem-text" role="alert">
        <strong>The chosen run could not be used.</strong> The failures above are compared with the default base run.
      </p>
    )}
    <form class="filters" method="get" action={runHref(visit, runId)} aria-label="Compare with another run">
      <TextField label="Run id" name="base_run_id" value={asked} hint={problem ?? HINT} />
      <button type="submit">Compare</button>
      {asked !== undefined && <a href={runHref(visit, runId)}>Compare with the default branch</a>}
    </form>
  </details>
);

const HINT = 'The id of a complete run: the last part of the address of its page';
