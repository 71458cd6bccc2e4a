/** What broke a test: the runs between its last pass and its first failure, with their commits, and what changed. */
import type { ErrorInfo } from '#shared/context/context-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { readError } from '#shared/errors/read-error.ts';
import type { Artifact } from '#shared/model/results/artifact.ts';
import { Assertion } from '#shared/pages/design/assertion.tsx';
import { FullTime, formatDuration, formatQuantity } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { OutcomeMark, toShownOutcome } from '#shared/pages/design/outcome.tsx';
import { Avatar, EmptyState, Fact, Notice, PageHead, Panel, Segments, Tabs } from '#shared/pages/design/parts.tsx';
import { buildCompareUrl } from '#shared/pages/shell/code-host.ts';
import { CommitSha } from '#shared/pages/shell/commit-links.tsx';
import { getCommitTitle } from '#shared/pages/shell/commit-names.ts';
import { linkToBisect, linkToRun, linkToTest, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import type { Suspect } from '#shared/results/executions/find-break.ts';
import type { ShownExecution } from '#shared/results/executions/latest-executions.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { makeProjectFileLinks } from './evidence-links.ts';
import { ExecutionStrip } from './execution-strip.tsx';
import { Pictures } from './file-section.tsx';
import { ComparedPictures } from './snapshots.tsx';

interface Side {
  readonly execution: ShownExecution;
  readonly error: ErrorInfo | null;
  readonly screenshot: Artifact | undefined;
}

export interface ShownBreak {
  readonly lastGood: Side | undefined;
  readonly firstBad: Side;
  readonly mayBeEarlier: boolean;
  readonly suspects: readonly Suspect[];
  /** Whether there are more runs between the two than are shown. */
  readonly hasMore: boolean;
  /** The repository, as the first failing run sent it. */
  readonly remoteOrigin: string | null;
}

interface Props {
  readonly visit: ProjectVisit;
  readonly signature: string;
  readonly title: readonly string[];
  readonly spec: string | undefined;
  readonly groupId: string | undefined;
  readonly groupIds: readonly string[];
  /** The latest executions of the group on the default branch, newest first. */
  readonly executions: readonly ShownExecution[];
  /** `undefined` if the test has not failed. */
  readonly shown: ShownBreak | undefined;
}

export const BisectPage = ({ visit, signature, title, spec, groupId, groupIds, executions, shown }: Props): Html => (
  <>
    <PageHead title={title} meta={spec && <code>{spec}</code>} />
    <Tabs label="Views of this test" tabs={listTabs({ visit, signature, groupId, shown })} />
    {groupIds.length > 1 && (
      <Segments
        label="Group"
        choices={groupIds.map((one) => ({
          name: one,
          href: linkToBisect(visit, signature, one),
          isCurrent: one === groupId,
        }))}
      />
    )}
    {shown ? (
      <BreakDetails visit={visit} shown={shown} executions={executions} />
    ) : (
      <EmptyState icon="circle-check" title="Nothing broke it">
        <p>This test has not failed on {visit.project.defaultBranchName} lately.</p>
      </EmptyState>
    )}
  </>
);

function listTabs({ visit, signature, groupId, shown }: Pick<Props, 'visit' | 'signature' | 'groupId' | 'shown'>) {
  const tabs = [
    { name: 'History', href: linkToTest(visit, signature), isCurrent: false },
    { name: 'What broke it', href: linkToBisect(visit, signature, groupId), isCurrent: true },
  ];
  if (!shown) return tabs;
  return [{ name: 'First failure', href: linkToTestOfRun(visit, shown.firstBad.execution), isCurrent: false }, ...tabs];
}

interface BreakProps extends Pick<Props, 'visit' | 'executions'> {
  readonly shown: ShownBreak;
}

function BreakDetails({ visit, shown, executions }: BreakProps): Html {
  const { lastGood, firstBad, suspects, remoteOrigin } = shown;
  const branch = visit.project.defaultBranchName;
  const compareUrl = buildCompareUrl(
    { remoteOrigin },
    lastGood?.execution.commit.sha ?? null,
    firstBad.execution.commit.sha ?? null,
  );
  return (
    <>
      <Panel
        title={lastGood ? 'Between the last pass and the first failure' : 'The first failure'}
        note={`${formatQuantity(suspects.length, 'run')} of ${branch}`}
        actions={
          compareUrl && (
            <a class="button quiet small" href={compareUrl} rel="noreferrer">
              <Icon name="external-link" size="small" />
              All commits and files
            </a>
          )
        }
      >
        {lastGood === undefined && (
          <Notice>
            {shown.mayBeEarlier
              ? 'The test has failed in all of its latest executions, so the first failure may be an earlier one.'
              : `The test has never passed on ${branch}.`}
          </Notice>
        )}
        <ExecutionStrip visit={visit} executions={executions} current={firstBad.execution.runId} />
        <ol class="suspects">
          {suspects.map((suspect) => (
            <SuspectRow visit={visit} suspect={suspect} remoteOrigin={remoteOrigin} />
          ))}
        </ol>
        {shown.hasMore && <p class="soft">There are more runs between them than are listed here.</p>}
        <p class="soft">
          Commits that name words of the test or its file come first. Rundown knows the commits that were tested; others
          may lie between them.
        </p>
      </Panel>
      <PicturesOfBreak visit={visit} shown={shown} />
      <div class="sides">
        {lastGood && <SidePanel visit={visit} title="Last good" side={lastGood} />}
        <SidePanel
          visit={visit}
          title="First bad"
          side={firstBad}
          picture={lastGood?.screenshot ? undefined : firstBad.screenshot}
        />
      </div>
    </>
  );
}

interface SuspectProps extends Pick<BreakProps, 'visit'> {
  readonly suspect: Suspect;
  readonly remoteOrigin: string | null;
}

function SuspectRow({ visit, suspect, remoteOrigin }: SuspectProps): Html {
  const { runId, sha, message, authorName, createdAt, words, execution } = suspect;
  const outcome = execution && toShownOutcome(execution.status, execution.flaky);
  return (
    <li class={words.length > 0 ? 'suspect' : undefined}>
      {outcome ? <OutcomeMark outcome={outcome} size="small" /> : <span class="soft">did not run</span>}
      <div class="grow">
        <a href={execution ? linkToTestOfRun(visit, execution) : linkToRun(visit, runId)}>
          {getCommitTitle({ message }) || 'Run'}
        </a>
        <div class="where">
          {sha !== null && <CommitSha remoteOrigin={remoteOrigin} sha={sha} />}
          {authorName !== null && (
            <span class="nowrap">
              <Avatar name={authorName} /> {authorName}
            </span>
          )}
          <FullTime at={createdAt} />
          {words.length > 0 && (
            <span class="tag">
              <b>suspect</b> names {words.join(', ')}
            </span>
          )}
        </div>
      </div>
    </li>
  );
}

/** Most suites take a picture of a failure only, which is then beside the failure. */
function PicturesOfBreak({ visit, shown: { lastGood, firstBad } }: Pick<BreakProps, 'visit' | 'shown'>): Html {
  const goodPicture = lastGood?.screenshot;
  const badPicture = firstBad.screenshot;
  if (!goodPicture || !badPicture) return <></>;
  return (
    <Panel title="Last good and first bad" id="pictures">
      <ComparedPictures
        links={makeProjectFileLinks(visit)}
        name="The page"
        index={0}
        pictures={[
          { part: 'expected', label: 'last good', file: goodPicture },
          { part: 'actual', label: 'first bad', file: badPicture },
        ]}
      />
    </Panel>
  );
}

interface SideProps extends Pick<BreakProps, 'visit'> {
  readonly title: string;
  readonly side: Side;
  readonly picture?: Artifact | undefined;
}

const SidePanel = ({ visit, title, side: { execution, error }, picture }: SideProps): Html => (
  <Panel title={title} actions={<a href={linkToTestOfRun(visit, execution)}>All evidence</a>}>
    <dl class="facts">
      <Fact name="Run">
        <a href={linkToRun(visit, execution.runId)}>{getCommitTitle(execution.commit) || 'Run'}</a>
      </Fact>
      <Fact name="Time">
        <FullTime at={execution.createdAt} />
      </Fact>
      <Fact name="Duration">{formatDuration(execution.duration)}</Fact>
      <Fact name="Attempts">{execution.attempts.length}</Fact>
    </dl>
    {error && <Assertion reading={readError(error)} />}
    {picture && <Pictures links={makeProjectFileLinks(visit)} files={[picture]} />}
  </Panel>
);
