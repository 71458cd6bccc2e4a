/** The tests of one section of a comparison. Tests with the same cause share a card. */
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { makeVisible } from '#shared/engine/plain-text.ts';
import type { ErrorReading } from '#shared/errors/read-error.ts';
import { Assertion } from '#shared/pages/design/assertion.tsx';
import { Ago, formatCount, formatQuantity } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { IssueMarks } from '#shared/pages/design/issue-mark.tsx';
import { OUTCOME_ICONS, OutcomeBadge, type ShownOutcome } from '#shared/pages/design/outcome.tsx';
import { Avatar, TitleOfTest } from '#shared/pages/design/parts.tsx';
import { linkToQuarantine } from '#shared/pages/rules/rule-fields.ts';
import { linkToTest, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { linkToTrace } from '#shared/pages/shell/trace-viewer.ts';
import { ExecutionStrip, selectStripExecutions } from '#shared/pages/tests/execution-strip.tsx';
import { FailingSinceText } from '#shared/pages/tests/failing-since.tsx';
import type {
  ComparedTest,
  FailureCause,
  RunComparison,
  Verdict,
} from '#shared/results/comparisons/comparison-wire.ts';
import { VERDICT_WORDS } from '#shared/results/comparisons/verdict-words.ts';
import type { ShownExecution } from '#shared/results/executions/latest-executions.ts';
import type { NextOf } from '#shared/results/executions/next-executions.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { FailurePicture, type PictureOf } from './failure-picture.tsx';

const OUTCOMES: Readonly<Record<Verdict, ShownOutcome>> = {
  new: 'failed',
  still_failing: 'failed',
  failed: 'failed',
  flaky: 'flaky',
  fixed: 'passed',
  not_run: 'skipped',
};

export const VerdictMark = ({ verdict, size }: { readonly verdict: Verdict; readonly size?: 'large' }): Html => (
  <span title={VERDICT_WORDS[verdict]}>
    <Icon name={OUTCOME_ICONS[OUTCOMES[verdict]].mark} size={size} tone={OUTCOMES[verdict]} />
    <span class="hidden-text">{VERDICT_WORDS[verdict]}:</span>
  </span>
);

/** Data about a test that the run page shows in addition to the comparison. */
export interface Evidence {
  /** Returns executions of a test, newest first. `selectStripExecutions` selects those that the test's strip shows. */
  readonly stripOf: (of: Pick<ComparedTest, 'signature'>) => readonly ShownExecution[];
  /** Returns the object name of the latest trace of a test. */
  readonly traceOf: (of: RecordedTest) => string | undefined;
  readonly pictureOf: PictureOf;
  /** Returns the next execution on the same branch, for a test that has newly failed. */
  readonly nextOf: NextOf;
  readonly findErrorReading: (of: RecordedTest) => ErrorReading | undefined;
  /** Errors of the attempt besides the one that is shown, such as those of soft assertions. */
  readonly countFurtherErrors: (of: RecordedTest) => number;
}

type RecordedTest = Pick<ComparedTest, 'instanceId' | 'testId'>;

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

/** Failures that the commit of the run may have caused. Their cards show the whole error and a picture. */
const IS_WHOLE: ReadonlySet<Verdict> = new Set(['new', 'failed']);

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

interface FurtherErrorsProps {
  readonly visit: ProjectVisit;
  readonly test: ComparedTest;
  readonly count: number;
}

export const FurtherErrors = ({ visit, test, count }: FurtherErrorsProps): Html =>
  count === 0 ? (
    <></>
  ) : (
    <p class="further">
      <a href={linkToTestOfRun(visit, test)}>+{formatQuantity(count, 'more error')}</a>
    </p>
  );

interface CardEvidenceProps extends Pick<CardProps, 'visit' | 'verdict' | 'evidence'> {
  readonly test: ComparedTest;
}

function CardEvidence({ visit, verdict, test, evidence }: CardEvidenceProps): Html {
  const reading = verdict === 'fixed' ? undefined : evidence.findErrorReading(test);
  const isWhole = IS_WHOLE.has(verdict);
  const picture = isWhole ? evidence.pictureOf(test) : undefined;
  if (verdict === 'fixed' || !(reading || test.error)) return <></>;
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

const History = ({ visit, test, now }: Pick<Props, 'visit' | 'now'> & { readonly test: ComparedTest }): Html => (
  <>
    {test.failingSince && test.failingSince.runId !== test.runId && (
      <span>
        Failing <FailingSinceText visit={visit} since={test.failingSince} />,{' '}
        {formatQuantity(test.failingSince.failures, 'run')}
        {test.failingSince.title !== null && (
          <>
            , <em>{test.failingSince.title}</em>
          </>
        )}{' '}
        {test.failingSince.authorName !== null && (
          <span class="nowrap">
            <Avatar name={test.failingSince.authorName} /> {test.failingSince.authorName}
          </span>
        )}
      </span>
    )}
    {test.knownFlaky && (
      <span>
        <OutcomeBadge outcome="flaky" label="known flaky" /> {formatQuantity(test.knownFlaky.events, 'flaky execution')}
        , the last <Ago at={test.knownFlaky.lastEventAt} now={now} />
      </span>
    )}
  </>
);

interface TraceProps extends Pick<CardProps, 'visit'> {
  readonly test: Pick<ComparedTest, 'instanceId'>;
  /** The object name of the trace, if there is one. */
  readonly trace: string | undefined;
  readonly isMain?: boolean;
}

export const TraceLink = ({ visit, test: { instanceId }, trace, isMain = false }: TraceProps): Html =>
  trace === undefined ? (
    <></>
  ) : (
    <a class={isMain ? 'button small' : 'button quiet small'} href={linkToTrace(visit, instanceId, trace)}>
      <Icon name="footprints" size="small" />
      Open trace
    </a>
  );

interface PlaceProps {
  readonly spec: string;
  /** Of the error. */
  readonly location: ErrorReading['location'];
}

/** The line of an error in another file, such as the steps of a feature, is not a line of the spec file. */
function Place({ spec, location }: PlaceProps): Html {
  if (!location) return <code>{spec}</code>;
  const file = location.file.replaceAll('\\', '/');
  const isInSpec = `/${file}`.endsWith(`/${spec}`) || `/${spec}`.endsWith(`/${file}`);
  return (
    <>
      <code>{isInSpec ? `${spec}:${location.line}` : spec}</code>
      {!isInSpec && <code>{`${file.split('/').at(-1)}:${location.line}`}</code>}
    </>
  );
}

interface TestProps extends Pick<CardProps, 'visit' | 'verdict' | 'evidence' | 'now'> {
  /** The results of one test in this section, one per group. */
  readonly tests: readonly ComparedTest[];
  /** Whether the card shows the evidence of another test. */
  readonly isFurther?: boolean;
}

function Test({ visit, verdict, tests, evidence, now, isFurther }: TestProps): Html {
  const [test] = tests;
  if (!test) return <></>;
  const trace = tests.map((one) => [one, evidence.traceOf(one)] as const).find(([, name]) => name !== undefined);
  return (
    <header>
      <VerdictMark verdict={verdict} size="large" />
      <div class="grow">
        <h3>
          <a href={linkToTestOfRun(visit, test)}>
            <TitleOfTest title={test.title} />
          </a>
        </h3>
        <div class="where">
          <Place spec={test.spec} location={evidence.findErrorReading(test)?.location ?? null} />
          <span>
            {tests.map((one, index) => (
              <>
                {index > 0 && ', '}
                {index === 0 ? one.groupId : <a href={linkToTestOfRun(visit, one)}>{one.groupId}</a>}
              </>
            ))}
          </span>
          {test.attempts > 1 && verdict !== 'fixed' && <span>{test.attempts} attempts</span>}
          <IssueMarks issues={test.knownIssues} />
          {isFurther && <History visit={visit} test={test} now={now} />}
        </div>
      </div>
      {trace && <TraceLink visit={visit} test={trace[0]} trace={trace[1]} isMain={IS_WHOLE.has(verdict)} />}
      {verdict === 'flaky' && may(visit.person, 'actions:write') && (
        <a class="button quiet small" href={linkToQuarantine(visit, test, now)}>
          <Icon name="shield" size="small" />
          Quarantine…
        </a>
      )}
    </header>
  );
}
