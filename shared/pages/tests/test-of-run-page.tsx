/** One test of a run: why it failed, with all recorded evidence. */
import { may } from '#shared/access/may.ts';
import { METRIC_LIMITS } from '#shared/analytics/metrics/limits.ts';
import type { TestContext } from '#shared/context/context-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { classifyError } from '#shared/errors/classify.ts';
import type { Artifact } from '#shared/model/tests/artifact.ts';
import { countText, durationText, FullTime } from '#shared/pages/design/format.tsx';
import { OutcomeBadge } from '#shared/pages/design/outcome.tsx';
import { analyticsHref, testContextHref, testHref, withQuery } from '#shared/pages/shell/hrefs.ts';
import type { ShownExecution } from '#shared/results/latest-executions.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { Attempts, outcomeOfContext } from './attempts.tsx';
import { ErrorSection } from './error-section.tsx';
import { ExecutionStrip } from './execution-strip.tsx';
import { FailingSinceNotification } from './failing-since.tsx';
import { Files, Pictures } from './file-section.tsx';
import { Traces } from './trace-section.tsx';
import { Console, NetworkSection, OutputSection, Steps } from './trace-sections.tsx';

interface Props {
  readonly visit: ProjectVisit;
  readonly context: TestContext;
  /** The files of all attempts. The page shows only those of one attempt. */
  readonly files: readonly Artifact[];
  readonly executions: readonly ShownExecution[];
}

export function TestOfRunPage({ visit, context, files, executions }: Props): Html {
  const { test, meta } = context;
  const own = files.filter(({ attempt = 0 }) => attempt === test.attempt);
  return (
    <>
      <h1>{test.title.join(' › ')}</h1>
      <p>
        <OutcomeBadge outcome={outcomeOfContext(context)} /> attempt {test.attempt + 1} of{' '}
        {countText(test.totalAttempts)} · {durationText(test.duration)}
      </p>
      <p class="soft">{placeOf(context, executions)}</p>
      {context.failingSince && (
        <FailingSinceNotification visit={visit} since={context.failingSince} groupId={undefined} />
      )}
      <h2 id="history" class="small">
        Latest executions
      </h2>
      <ExecutionStrip visit={visit} executions={executions} current={meta.runId} />
      <Attempts visit={visit} context={context} />
      <div class="actions">
        <a class="button quiet" href={testContextHref(visit, meta)}>
          Context as Markdown
        </a>
        <button type="button" class="quiet" hidden data-copy-from={testContextHref(visit, meta)}>
          Copy for AI
        </button>
        <a href={testHref(visit, meta.signature)}>History of this test</a>
      </div>
      <ErrorSection context={context} alikeHref={alikeHref(visit, context)} />
      <Pictures visit={visit} files={own} />
      <Traces visit={visit} files={own} />
      <Steps context={context} />
      <Console context={context} />
      <NetworkSection context={context} />
      <OutputSection context={context} />
      <Files visit={visit} files={own} />
      <Gone meta={meta} />
    </>
  );
}

/** Link to all occurrences of the error. Errors are identified by their message without ids, numbers and values. */
function alikeHref(visit: ProjectVisit, { error }: TestContext): string | undefined {
  if (!error || !may(visit.person, 'analytics:read')) return undefined;
  const message = classifyError(error).message.slice(0, METRIC_LIMITS.searchCharacters);
  return message === '' ? undefined : withQuery(analyticsHref(visit, 'errors'), { error_message: message });
}

/** What was tested, such as `cart.spec.ts · chromium · main · 1a2b3c4 · Round prices · Ada`. */
const placeOf = ({ spec, environment, git, meta }: TestContext, executions: readonly ShownExecution[]): string => {
  const authorName = executions.find(({ runId }) => runId === meta.runId)?.commit.authorName;
  const commit = [git?.branch, git?.sha?.slice(0, 7), commitTitle(executions, meta.runId), authorName];
  return [spec, environment?.project, ...commit].filter(Boolean).join(' · ');
};

/** The subject line of the commit. `undefined` for old runs, whose executions are not read. */
export const commitTitle = (executions: readonly ShownExecution[], runId: string): string | undefined =>
  executions.find((one) => one.runId === runId)?.commit.message?.split('\n', 1)[0];

/** Says which parts have expired, so that nobody looks for them. */
const Gone = ({ meta: { evidenceExpiredAt, filesExpiredAt } }: Pick<TestContext, 'meta'>): Html => (
  <>
    {evidenceExpiredAt !== undefined && (
      <p class="notice">
        Steps, output and trace analyses expired on <FullTime at={evidenceExpiredAt} />, as set in the project's
        retention.
      </p>
    )}
    {filesExpiredAt !== undefined && (
      <p class="notice">
        The files expired on <FullTime at={filesExpiredAt} />, as set in the project's retention.
      </p>
    )}
  </>
);
