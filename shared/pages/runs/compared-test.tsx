/** One test of a comparison: its verdict, its title and place, its trace and its history. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ErrorReading } from '#shared/errors/read-error.ts';
import type { AppliedRule } from '#shared/model/rules/rule.ts';
import { Ago, formatQuantity } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { IssueMarks } from '#shared/pages/design/issue-mark.tsx';
import { OUTCOME_ICONS, OutcomeBadge, type ShownOutcome } from '#shared/pages/design/outcome.tsx';
import { Avatar, TitleOfTest } from '#shared/pages/design/parts.tsx';
import { QuarantineControl } from '#shared/pages/rules/quarantine-control.tsx';
import { linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { linkToTrace } from '#shared/pages/shell/trace-viewer.ts';
import { FailingSinceText } from '#shared/pages/tests/failing-since.tsx';
import type { ComparedTest, Verdict } from '#shared/results/comparisons/comparison-wire.ts';
import { VERDICT_WORDS } from '#shared/results/comparisons/verdict-words.ts';
import { describeKnownFlaky } from '#shared/results/executions/describe-known-flaky.ts';
import type { FailingSince } from '#shared/results/executions/failing-since-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { type Evidence, MAY_BE_CAUSED_HERE } from './evidence.ts';

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

interface HistoryProps {
  readonly visit: ProjectVisit;
  readonly test: ComparedTest;
  readonly now: number;
}

/** Since when the test has been failing, and whether it is known to be flaky. */
export const History = ({ visit, test: { runId, failingSince, knownFlaky }, now }: HistoryProps): Html => (
  <>
    {failingSince && failingSince.runId !== runId && <Failing visit={visit} since={failingSince} />}
    {knownFlaky && (
      <span>
        <OutcomeBadge outcome="flaky" label="known flaky" /> {describeKnownFlaky(knownFlaky)}, the last{' '}
        <Ago at={knownFlaky.lastEventAt} now={now} />
      </span>
    )}
  </>
);

const Failing = ({ visit, since }: { readonly visit: ProjectVisit; readonly since: FailingSince }): Html => (
  <span>
    Failing <FailingSinceText visit={visit} since={since} />, {formatQuantity(since.failures, 'run')}
    {since.title !== null && (
      <>
        , <em>{since.title}</em>
      </>
    )}{' '}
    {since.authorName !== null && (
      <span class="nowrap">
        <Avatar name={since.authorName} /> {since.authorName}
      </span>
    )}
  </span>
);

interface TraceProps {
  readonly visit: ProjectVisit;
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

interface TestProps {
  readonly visit: ProjectVisit;
  readonly verdict: Verdict;
  /** The results of one test in this section, one per group. */
  readonly tests: readonly ComparedTest[];
  readonly evidence: Pick<Evidence, 'findErrorReading' | 'traceOf' | 'quarantineOf'>;
  readonly now: number;
  /** Whether the card shows the evidence of another test. */
  readonly isFurther?: boolean;
}

/** A fixed test needs no quarantine, and one that fails always should be repaired instead. */
export const mayOfferQuarantine = (
  verdict: Verdict,
  { knownFlaky }: Pick<ComparedTest, 'knownFlaky'>,
  rule: AppliedRule | undefined,
): boolean => verdict === 'flaky' || knownFlaky !== undefined || (rule !== undefined && verdict !== 'fixed');

export function Test({ visit, verdict, tests, evidence, now, isFurther }: TestProps): Html {
  const [test] = tests;
  if (!test) return <></>;
  const quarantine = evidence.quarantineOf(test);
  const tracedTest = tests.find((one) => evidence.traceOf(one) !== undefined);
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
      {tracedTest && (
        <TraceLink
          visit={visit}
          test={tracedTest}
          trace={evidence.traceOf(tracedTest)}
          isMain={MAY_BE_CAUSED_HERE.has(verdict)}
        />
      )}
      {mayOfferQuarantine(verdict, test, quarantine) && (
        <QuarantineControl visit={visit} test={test} rule={quarantine} isOfRun now={now} />
      )}
    </header>
  );
}
