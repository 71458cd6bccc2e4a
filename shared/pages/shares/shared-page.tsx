/**
 * What an outsider sees through a share: the failed tests of a run or spec file, or one test, with all evidence. No
 * other data of the project is shown.
 */
import type { ContextData, InstanceContext, RunContext, TestContext } from '#shared/context/context-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { readError } from '#shared/errors/read-error.ts';
import type { Artifact } from '#shared/model/results/artifact.ts';
import { Assertion } from '#shared/pages/design/assertion.tsx';
import { FullTime, formatQuantity, toSentenceCase } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { getOutcomeWord, toShownOutcome } from '#shared/pages/design/outcome.tsx';
import { EmptyState, PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { formatRunName } from '#shared/pages/design/run-name.ts';
import { getRunOutcome } from '#shared/pages/design/run-outcome.ts';
import { shortenSha } from '#shared/pages/shell/commit-names.ts';
import { linkToSharedResult, linkToSignIn } from '#shared/pages/shell/hrefs.ts';
import { NumberedLinks } from '#shared/pages/shell/paging.tsx';
import { getContextOutcome } from '#shared/pages/tests/attempts.tsx';
import { makeShareLinks } from '#shared/pages/tests/evidence-links.ts';
import { Files } from '#shared/pages/tests/file-section.tsx';
import { Labels } from '#shared/pages/tests/labels.tsx';
import { listTraces } from '#shared/pages/tests/select-files.ts';
import { Gone, TestEvidence } from '#shared/pages/tests/test-evidence.tsx';
import type { OpenShare } from '#shared/shares/open-share.ts';
import type { Visit } from '#shared/sign-in/visit.ts';
import { SharedAnswer } from './shared-answer.tsx';

interface Props {
  readonly visit: Visit;
  readonly share: OpenShare;
  readonly context: ContextData;
  /** The files of the shown test. Empty for runs and spec files. */
  readonly files: readonly Artifact[];
  /** The number of the shown page in the list of tests, counted from 0. */
  readonly page: number;
  readonly now: number;
}

export const SharedPage = ({ visit, share, context, files, page, now }: Props): Html => (
  <>
    {context.level === 'test' ? (
      <SharedTest visit={visit} share={share} context={context} files={files} now={now} />
    ) : (
      <SharedList visit={visit} share={share} context={context} page={page} />
    )}
    <section class="card" aria-label="About this link">
      <p>The link shows only {describeShare(share)}, and its sender can revoke it at any time.</p>
      <a class="button quiet" href={linkToSignIn(visit)}>
        Sign in to see more
      </a>
    </section>
  </>
);

export function getSharedTitle({ run: { title } }: OpenShare, context: ContextData): string {
  if (context.level === 'test') return context.test.title.at(-1) ?? '';
  if (context.level === 'instance') return context.spec;
  return formatRunName({ title, ciBuildId: context.ciBuildId, branch: context.git?.branch });
}

/** Where the result comes from: who sent it and until when, the project and the time of the run. */
const Source = ({ share: { sharedBy, expiresAt, run } }: Pick<Props, 'share'>): Html => (
  <>
    <span>
      Shared by {sharedBy} until <FullTime at={expiresAt * 1000} />
    </span>
    <span>{run.projectName}</span>
    <span>
      Run of <FullTime at={run.startedAt} />
    </span>
  </>
);

interface TestProps extends Omit<Props, 'context' | 'page'> {
  readonly context: TestContext;
}

function SharedTest({ visit, share, context, files, now }: TestProps): Html {
  const { test, meta, spec, environment, git } = context;
  const links = makeShareLinks(visit, meta);
  const attemptFiles = files.filter(({ attempt = 0 }) => attempt === test.attempt);
  const trace = listTraces(attemptFiles)[0] ?? listTraces(files).at(-1);
  return (
    <>
      <PageHead
        title={test.title}
        outcome={{ outcome: getContextOutcome(context) }}
        meta={
          <>
            <Source share={share} />
            <code>{spec}</code>
            {environment?.project && <span>{environment.project}</span>}
            <GitFacts git={git} />
            {share.testId === undefined && (
              <a href={linkToSharedResult(visit, { instance_id: share.instanceId })}>
                All failures shared with this link
              </a>
            )}
          </>
        }
        actions={
          trace && (
            <a class="button" href={links.trace(trace)}>
              <Icon name="footprints" />
              Open trace
            </a>
          )
        }
      />
      <Labels context={context} />
      <SharedAnswer context={context} />
      <div class="stack">
        <TestEvidence links={links} context={context} files={attemptFiles} startedAt={undefined} />
        <Files links={links} files={attemptFiles} now={now} />
        <Gone meta={meta} />
      </div>
    </>
  );
}

const GitFacts = ({ git }: Pick<RunContext, 'git'> | Pick<TestContext, 'git'>): Html => (
  <>
    {git?.branch && (
      <span>
        <Icon name="git-branch" />
        {git.branch}
      </span>
    )}
    {git?.sha && <code>{shortenSha(git.sha)}</code>}
  </>
);

interface ListProps extends Pick<Props, 'visit' | 'share' | 'page'> {
  readonly context: RunContext | InstanceContext;
}

function SharedList({ visit, share, context, page }: ListProps): Html {
  const { list, total, nextPage, git } = context;
  const listQuery = { instance_id: context.level === 'instance' ? context.instanceId : undefined };
  return (
    <>
      <PageHead
        title={getSharedTitle(share, context)}
        outcome={context.level === 'run' ? getRunOutcome(context) : undefined}
        meta={
          <>
            <Source share={share} />
            <span>{formatQuantity(total, 'failed test')}</span>
            <GitFacts git={git} />
          </>
        }
      />
      <SharedAnswer context={context} />
      {total === 0 ? (
        <EmptyState icon="circle-check" title="No failures">
          <p>{context.level === 'run' ? 'No test of this run failed.' : 'No test of this spec file failed.'}</p>
        </EmptyState>
      ) : (
        list.map(({ testId, instanceId, spec, test, error, environment }) => (
          <Panel
            title={test.title.join(' › ')}
            note={[spec, environment?.project].filter(Boolean).join(' · ')}
            actions={<a href={linkToSharedResult(visit, { instance_id: instanceId, test_id: testId })}>All evidence</a>}
          >
            {error ? (
              <Assertion reading={readError(error)} />
            ) : (
              <p>{toSentenceCase(getOutcomeWord(toShownOutcome(test.status, false)))}, without an error.</p>
            )}
          </Panel>
        ))
      )}
      {(page > 0 || nextPage !== false) && (
        <NumberedLinks
          page={page}
          nextPage={nextPage}
          href={(to) => linkToSharedResult(visit, { ...listQuery, page: to })}
        />
      )}
    </>
  );
}

function describeShare({ instanceId, testId }: OpenShare): string {
  if (testId !== undefined) return 'this test in one run';
  return instanceId === undefined ? 'the failures of this run' : 'the failures of this spec file in one run';
}
