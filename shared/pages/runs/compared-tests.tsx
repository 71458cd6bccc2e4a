/** The tests of one section of a comparison. Tests with the same error share a card. */
import type { Html } from '#shared/engine/html/html.ts';
import { counted, FullTime } from '#shared/pages/design/format.tsx';
import { OutcomeBadge, type ShownOutcome } from '#shared/pages/design/outcome.tsx';
import { testHref, testOfRunHref } from '#shared/pages/shell/hrefs.ts';
import { traceHref } from '#shared/pages/shell/trace-viewer.ts';
import { ExecutionStrip } from '#shared/pages/tests/execution-strip.tsx';
import { FailingSinceText } from '#shared/pages/tests/failing-since.tsx';
import type { ComparedTest, RunComparison, Verdict } from '#shared/results/comparison-wire.ts';
import type { ShownExecution } from '#shared/results/latest-executions.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

const OUTCOMES: Readonly<Record<Verdict, ShownOutcome>> = {
  new: 'failed',
  still_failing: 'failed',
  failed: 'failed',
  flaky: 'flaky',
  fixed: 'passed',
  not_run: 'skipped',
};

const LABELS: Readonly<Record<Verdict, string>> = {
  new: 'new failure',
  still_failing: 'still failing',
  failed: 'failed',
  flaky: 'flaky',
  fixed: 'fixed',
  not_run: 'not run',
};

/** The executions for a test's strip, newest first. */
export type StripOf = (of: Pick<ComparedTest, 'signature'>) => readonly ShownExecution[];
export type TraceLinkOf = (of: Pick<ComparedTest, 'instanceId' | 'testId'>) => string | undefined;

interface Props {
  readonly visit: ProjectVisit;
  readonly section: RunComparison['sections'][number];
  readonly traceOf: TraceLinkOf;
  readonly stripOf: StripOf;
}

export type SectionTests = Pick<Props['section'], 'verdict' | 'tests'>;

/** Groups tests with the same error into cards. A fixed test has its own card, because its error is resolved. */
const alikeIn = ({ verdict, tests }: SectionTests): ComparedTest[][] => [
  ...Map.groupBy(tests, ({ error, runId, instanceId, testId }) =>
    error === null || verdict === 'fixed' ? `${runId} ${instanceId} ${testId}` : `error ${error}`,
  ).values(),
];

/** Tests that get a strip: the first of each card, because tests with the same error usually fail together. */
export const testsWithStrip = (section: SectionTests): ComparedTest[] =>
  alikeIn(section).flatMap(([first]) => first ?? []);

export function ComparedTests({ visit, section, traceOf, stripOf }: Props): Html {
  const { verdict } = section;
  return (
    <>
      {alikeIn(section).map((own) => (
        <article class={`card ${OUTCOMES[verdict]}`}>
          {own.map((test, index) => (
            <Test
              visit={visit}
              verdict={verdict}
              test={test}
              trace={traceOf(test)}
              executions={index === 0 ? stripOf(test) : []}
            />
          ))}
          {own.length > 1 && <p class="soft">{counted(own.length, 'test')}, one error:</p>}
          {verdict !== 'fixed' && own[0]?.error && <pre class="wrap">{own[0].error}</pre>}
        </article>
      ))}
    </>
  );
}

interface TestProps {
  readonly visit: ProjectVisit;
  readonly verdict: Verdict;
  readonly test: ComparedTest;
  readonly trace: string | undefined;
  /** The executions for the strip: empty for all tests of a card except the first. */
  readonly executions: readonly ShownExecution[];
}

const Test = ({ visit, verdict, test, trace, executions }: TestProps): Html => (
  <>
    <h3>
      <OutcomeBadge outcome={OUTCOMES[verdict]} label={LABELS[verdict]} />{' '}
      <a href={testOfRunHref(visit, test)}>{test.title.join(' › ')}</a>
    </h3>
    <p class="soft">
      {test.spec} · {test.groupId}
      {test.attempts > 1 && verdict !== 'fixed' && ` · ${test.attempts} attempts`} ·{' '}
      <a href={testHref(visit, test.signature)}>History</a>
      {trace !== undefined && (
        <>
          {' '}
          · <a href={traceHref(visit, test.instanceId, trace)}>Open trace</a>
        </>
      )}
      {test.failingSince && test.failingSince.runId !== test.runId && (
        <>
          {' '}
          · failing <FailingSinceText visit={visit} since={test.failingSince} />
        </>
      )}
      {test.knownFlaky && (
        <>
          {' '}
          · <OutcomeBadge outcome="flaky" label="known flaky" />: {counted(test.knownFlaky.events, 'flaky execution')},
          the last at <FullTime at={test.knownFlaky.lastEventAt} />
        </>
      )}
    </p>
    {executions.length > 1 && <ExecutionStrip visit={visit} executions={executions} current={test.runId} />}
  </>
);
