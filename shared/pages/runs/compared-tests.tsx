/** The tests of one section of a comparison. Tests with the same cause share a card. */
import type { Html } from '#shared/engine/html/html.ts';
import { makeVisible } from '#shared/engine/plain-text.ts';
import { Assertion } from '#shared/pages/design/assertion.tsx';
import { formatCount, formatQuantity } from '#shared/pages/design/format.tsx';
import { linkToTest } from '#shared/pages/shell/hrefs.ts';
import { ExecutionStrip, selectStripExecutions } from '#shared/pages/tests/execution-strip.tsx';
import type {
  ComparedTest,
  FailureCause,
  RunComparison,
  Verdict,
} from '#shared/results/comparisons/comparison-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { FurtherErrors, History, Test } from './compared-test.tsx';
import { type Evidence, MAY_BE_CAUSED_HERE } from './evidence.ts';
import { FailurePicture } from './failure-picture.tsx';

interface Props {
  readonly visit: ProjectVisit;
  readonly section: RunComparison['sections'][number];
  readonly evidence: Evidence;
  readonly now: number;
  /** The page with all tests of a cause. `undefined` if this is it. */
  readonly linkToCause: ((cause: string) => string) | undefined;
  /** Whether to show only some of the tests of a cause. */
  readonly isShort: boolean;
}

export type SectionTests = Pick<Props['section'], 'verdict' | 'tests'>;

/** Each fixed test has a card of its own, because its error no longer occurs. */
const groupAlikeTests = ({ verdict, tests }: SectionTests): ComparedTest[][] => [
  ...Map.groupBy(tests, ({ cause, error, runId, instanceId, testId }) => {
    if (cause !== undefined) return `cause ${cause}`;
    return error === null || verdict === 'fixed' ? `${runId} ${instanceId} ${testId}` : `error ${error}`;
  }).values(),
];

/** The first test of each card, because tests with the same cause usually fail together. */
export const listTestsWithStrip = (section: SectionTests): ComparedTest[] =>
  groupAlikeTests(section).flatMap(([first]) => first ?? []);

export const ComparedTests = ({ visit, section, evidence, now, linkToCause, isShort }: Props): Html => (
  <div class="stack">
    {groupAlikeTests(section).map((tests) => (
      <Card
        visit={visit}
        verdict={section.verdict}
        tests={tests}
        cause={section.causes?.find(({ id }) => id === tests[0]?.cause)}
        evidence={evidence}
        now={now}
        linkToCause={linkToCause}
        isShort={isShort}
      />
    ))}
  </div>
);

interface CardProps extends Omit<Props, 'section'> {
  readonly verdict: Verdict;
  /** The shown tests with the same cause. */
  readonly tests: readonly ComparedTest[];
  /** `undefined` if it is not known, or not among those with most tests. */
  readonly cause: FailureCause | undefined;
}

/** Of a cause, the first view of a run shows so many tests. */
const SHOWN_TESTS = 4;

function Card(props: CardProps): Html {
  const { visit, verdict, cause, evidence, now, linkToCause, isShort } = props;
  const [first] = props.tests;
  if (!first) return <></>;
  // The results of one test in several groups share a heading.
  const byTest = [...Map.groupBy(props.tests, ({ signature, spec }) => `${signature} ${spec}`).values()];
  const shownTests = isShort ? byTest.slice(0, SHOWN_TESTS) : byTest;
  const [firstResults = [], ...others] = shownTests;
  const shownCount = shownTests.flat().length;
  const executions = selectStripExecutions(evidence.stripOf(first), {
    ...first,
    branch: visit.project.defaultBranchName,
  });
  return (
    <article class="panel failure">
      {cause && cause.tests > firstResults.length && <CauseHead cause={cause} />}
      <Test {...props} tests={firstResults} />
      <CardEvidence visit={visit} verdict={verdict} test={first} evidence={evidence} />
      {(executions.length > 1 || first.failingSince || first.knownFlaky) && (
        <footer>
          {executions.length > 1 && <ExecutionStrip visit={visit} executions={executions} current={first.runId} />}
          <History visit={visit} test={first} now={now} />
          <span class="grow" />
          <a href={linkToTest(visit, first.signature)}>History</a>
        </footer>
      )}
      {others.map((results) => (
        <Test {...props} tests={results} isFurther />
      ))}
      {cause && linkToCause && cause.tests > shownCount && (
        <footer>
          <a href={linkToCause(cause.id)}>Show all {formatQuantity(cause.tests, 'test')} with this cause</a>
        </footer>
      )}
    </article>
  );
}

function CauseHead({ cause }: { readonly cause: FailureCause }): Html {
  const { text, tests, files, values } = cause;
  const items = cause.received.map(({ value, tests: count }, index) => (
    <>
      {index > 0 && ' · '}
      <code>{value}</code> <span class="soft">{formatCount(count)}</span>
    </>
  ));
  return (
    <div class="cause">
      <p>
        <b>{makeVisible(text)}</b>{' '}
        <span class="soft">
          {formatQuantity(tests, 'test')}
          {files > 1 && ` in ${formatQuantity(files, 'file')}`}
        </span>
      </p>
      {values > 1 && (
        <p class="values">
          <span class="soft">received</span> {items}
          {values > items.length && <span class="soft">and {formatQuantity(values - items.length, 'more value')}</span>}
        </p>
      )}
    </div>
  );
}

interface CardEvidenceProps extends Pick<CardProps, 'visit' | 'verdict' | 'evidence'> {
  readonly test: ComparedTest;
}

function CardEvidence({ visit, verdict, test, evidence }: CardEvidenceProps): Html {
  if (verdict === 'fixed') return <></>;
  const reading = evidence.findErrorReading(test);
  if (!reading && !test.error) return <></>;
  const isWhole = MAY_BE_CAUSED_HERE.has(verdict);
  const picture = isWhole ? evidence.pictureOf(test) : undefined;
  return (
    <div class="evidence">
      <div>
        {reading ? <Assertion reading={reading} isShort={!isWhole} /> : <pre class="wrap">{test.error}</pre>}
        <FurtherErrors visit={visit} test={test} count={evidence.countFurtherErrors(test)} />
      </div>
      {picture && <FailurePicture visit={visit} test={test} picture={picture} />}
    </div>
  );
}
