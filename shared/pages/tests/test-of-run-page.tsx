/** One test of a run: why it failed, with all recorded evidence around the failure. */
import { may } from '#shared/access/may.ts';
import { METRIC_LIMITS } from '#shared/analytics/metrics/limits.ts';
import type { TestContext } from '#shared/context/context-wire.ts';
import type { Child, Html } from '#shared/engine/html/html.ts';
import { classifyError } from '#shared/errors/classify.ts';
import type { Artifact } from '#shared/model/results/artifact.ts';
import type { AppliedRule } from '#shared/model/rules/rule.ts';
import { formatQuantity } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { Avatar, Copied, Fact, Menu, PageHead, Panel, Tabs } from '#shared/pages/design/parts.tsx';
import { IssueActions, IssuesOfTest } from '#shared/pages/issues/issues-of-test.tsx';
import { QuarantineControl } from '#shared/pages/rules/quarantine-control.tsx';
import { CiLinks, PullRequestLink } from '#shared/pages/shell/ci-links.tsx';
import { buildCommitUrl, buildLineUrl } from '#shared/pages/shell/code-host.ts';
import { CommitSha } from '#shared/pages/shell/commit-links.tsx';
import { getCommitTitle } from '#shared/pages/shell/commit-names.ts';
import {
  addQuery,
  linkToBisect,
  linkToNewShare,
  linkToProjectPage,
  linkToPullRequests,
  linkToRun,
  linkToRuns,
  linkToTest,
  linkToTestContext,
  linkToTestOfRun,
} from '#shared/pages/shell/hrefs.ts';
import { mayAdd } from '#shared/pages/shell/may-add.ts';
import { linkToTrace } from '#shared/pages/shell/trace-viewer.ts';
import type { KnownFlaky } from '#shared/results/executions/describe-known-flaky.ts';
import type { ShownExecution } from '#shared/results/executions/latest-executions.ts';
import type { FailurePlace } from '#shared/results/failures/failure-place.ts';
import type { QuarantineOfResult } from '#shared/rules/quarantine-of-result.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { getContextOutcome } from './attempts.tsx';
import { makeProjectLinks } from './evidence-links.ts';
import { ExecutionStrip, nameStrip, selectStripExecutions } from './execution-strip.tsx';
import { FailingSinceText } from './failing-since.tsx';
import { Files } from './file-section.tsx';
import { Labels } from './labels.tsx';
import { listTraces } from './select-files.ts';
import { Gone, TestEvidence } from './test-evidence.tsx';
import { QuarantinedLine, VerdictLine } from './verdict.tsx';

interface Props {
  readonly visit: ProjectVisit;
  readonly context: TestContext;
  /** The files of all attempts. The page shows only those of one attempt. */
  readonly files: readonly Artifact[];
  readonly executions: readonly ShownExecution[];
  readonly knownFlaky: KnownFlaky | undefined;
  /** Absent for a test that passed at once, or was skipped. */
  readonly place: FailurePlace | undefined;
  readonly quarantines: readonly AppliedRule[];
  /** The quarantine under which the test failed in this run. */
  readonly quarantined: QuarantineOfResult | undefined;
  readonly now: number;
}

export function TestOfRunPage(props: Props): Html {
  const { visit, context, files, executions, place, knownFlaky, quarantines, quarantined, now } = props;
  const { test, meta, git } = context;
  const attemptFiles = files.filter(({ attempt = 0 }) => attempt === test.attempt);
  const strip = selectStripExecutions(executions, {
    branch: visit.project.defaultBranchName,
    groupId: context.environment?.project ?? '',
    runId: meta.runId,
  });
  const links = makeProjectLinks(visit, meta);
  const shownExecution = executions.find(({ instanceId }) => instanceId === meta.instanceId);
  const startedAt = shownExecution?.attempts[test.attempt]?.startedAt;
  return (
    <>
      <Head {...props} />
      {place && (
        <VerdictLine
          {...{ visit, place, executions, knownFlaky, quarantines, now }}
          groupId={context.environment?.project ?? ''}
          failingSince={context.failingSince}
        />
      )}
      {quarantined && <QuarantinedLine visit={visit} quarantined={quarantined} now={now} />}
      <Labels context={context} />
      <Tabs
        label="Views of this test"
        tabs={[
          { name: 'This run', href: linkToTestOfRun(visit, meta), isCurrent: true },
          { name: 'History', href: linkToTest(visit, meta.signature), isCurrent: false },
        ]}
      />
      <div class="columns">
        <TestEvidence
          links={links}
          context={context}
          files={attemptFiles}
          startedAt={startedAt}
          codeUrl={(line) => buildLineUrl({ remoteOrigin: git?.repository ?? null, sha: git?.sha ?? null }, line)}
        />
        <aside class="stack" aria-label="About this test">
          <IssuesOfTest visit={visit} issues={context.knownIssues} />
          <WhereItBroke {...props} />
          <Panel title="Latest executions" note={nameStrip(visit, strip)}>
            <ExecutionStrip visit={visit} current={meta.runId} executions={strip} />
          </Panel>
          <Files links={links} files={attemptFiles} now={now} />
          <Details {...props} />
          <Gone meta={meta} />
        </aside>
      </div>
    </>
  );
}

function Head({ visit, context, files, executions, place, quarantines: [quarantine], now }: Props): Html {
  const { test, meta, spec, git } = context;
  const traces = listTraces(files);
  // The shown attempt may have none: many suites record a trace only of the first retry.
  const trace = traces.find(({ attempt = 0 }) => attempt === test.attempt) ?? traces.at(-1);
  const attemptOfTrace = trace?.attempt ?? 0;
  return (
    <PageHead
      title={test.title}
      outcome={{ outcome: getContextOutcome(context) }}
      meta={
        <>
          <span>
            <code>{spec}</code>
            <Copied text={spec} label="Copy the path of the spec file" />
          </span>
          {context.environment?.project && <span>{context.environment.project}</span>}
          <a href={linkToRun(visit, meta.runId)}>
            <Icon name="circle-play" />
            {findCommitTitle(executions, meta.runId) || 'Run'}
          </a>
          <PullRequestLink remoteOrigin={git?.repository ?? null} id={git?.pullRequest?.number} />
          <CiLinks pages={place?.run.ciPages} />
        </>
      }
      actions={
        <>
          {trace && (
            <a class="button" href={linkToTrace(visit, trace.instanceId, trace.objectName)}>
              <Icon name="footprints" />
              Open trace{attemptOfTrace === test.attempt ? '' : ` of attempt ${attemptOfTrace + 1}`}
            </a>
          )}
          {visit.aiMayRead && (
            <button type="button" class="quiet" hidden data-copy-from={linkToTestContext(visit, meta)}>
              <Icon name="sparkles" />
              Copy for an agent
            </button>
          )}
          <Menu label="More actions">
            {visit.aiMayRead && (
              <a href={linkToTestContext(visit, meta)}>
                <Icon name="file-text" />
                Failure as Markdown
              </a>
            )}
            {mayAdd(visit, 'shares:write') && (
              <a
                href={linkToNewShare(visit, {
                  instanceId: meta.instanceId,
                  testId: meta.testId,
                  attempt: meta.attempt,
                })}
              >
                <Icon name="external-link" />
                Share…
              </a>
            )}
            <IssueActions visit={visit} of={meta} />
            <QuarantineControl
              visit={visit}
              test={{ spec, title: test.title }}
              rule={quarantine}
              isOfRun
              look="item"
              now={now}
            />
            <AlikeLink visit={visit} context={context} />
          </Menu>
        </>
      }
    />
  );
}

/** Leads to the row of the error in the list of errors, by all that this list tells errors apart by. */
function AlikeLink({ visit, context: { error } }: Pick<Props, 'visit' | 'context'>): Html {
  if (!error || !may(visit.person, 'analytics:read')) return <></>;
  const { message, target, action, category } = classifyError(error);
  const shorten = (text: string | null) => text?.slice(0, METRIC_LIMITS.searchCharacters) || undefined;
  const keys = {
    error_message: shorten(message),
    error_target: shorten(target),
    error_action: shorten(action),
    error_category: category,
  };
  return (
    <a href={addQuery(linkToProjectPage(visit, 'errors'), keys)}>
      <Icon name="bug" />
      Find this error in all tests and runs
    </a>
  );
}

function WhereItBroke({ visit, context: { failingSince, git, meta, environment } }: Props): Html {
  if (!failingSince) return <></>;
  const page = buildCommitUrl({ remoteOrigin: git?.repository ?? null, sha: failingSince.sha });
  return (
    <Panel title="Where it broke">
      {failingSince.title !== null && (
        <p>
          <a href={linkToTestOfRun(visit, failingSince)}>{failingSince.title}</a>
        </p>
      )}
      {failingSince.authorName !== null && (
        <p class="row">
          <Avatar name={failingSince.authorName} /> {failingSince.authorName}
        </p>
      )}
      <p>
        Failing <FailingSinceText visit={visit} since={failingSince} />, {formatQuantity(failingSince.failures, 'run')}
        {failingSince.failures > 1 && ' in a row'} at the time of this run.
      </p>
      <a class="button quiet small" href={linkToBisect(visit, meta.signature, environment?.project ?? undefined)}>
        <Icon name="search" size="small" />
        What broke it
      </a>
      {page !== undefined && (
        <a class="button quiet small" href={page} rel="noreferrer">
          <Icon name="external-link" size="small" />
          Show the commit
        </a>
      )}
    </Panel>
  );
}

const Details = ({ visit, context, executions }: Props): Html => {
  const { spec, environment, git, meta, test } = context;
  const commit = executions.find(({ runId }) => runId === meta.runId)?.commit;
  const branch = git?.branch;
  const pullRequest = git?.pullRequest?.number;
  const rows: [string, Child][] = [
    ['Spec file', spec],
    ['Suite', test.title.slice(0, -1).join(' › ')],
    ['Group', environment?.project],
    ['Branch', branch && <a href={linkToRuns(visit, { 'branches[]': [branch] })}>{branch}</a>],
    ['Commit', git?.sha && <CommitSha remoteOrigin={git.repository} sha={git.sha} />],
    ['Pull request', pullRequest && <a href={linkToPullRequests(visit, pullRequest)}>#{pullRequest}</a>],
    ['Author', commit?.authorName],
  ];
  return (
    <Panel title="Details">
      <dl class="facts">{rows.map(([name, value]) => value && <Fact name={name}>{value}</Fact>)}</dl>
    </Panel>
  );
};

/** The subject line of the commit. `undefined` for old runs, because the page reads only the latest executions. */
export function findCommitTitle(executions: readonly ShownExecution[], runId: string): string | undefined {
  const execution = executions.find((one) => one.runId === runId);
  return execution && getCommitTitle(execution.commit);
}
