/**
 * §5.2 Updates the issues of a project from one ended run, and comments on or closes them if the settings ask for that.
 */
import { AUTOMATION, formatActorName } from '#shared/access/actor.ts';
import { ApiError } from '#shared/engine/errors.ts';
import { encodeInstant } from '#shared/engine/table/keys.ts';
import { expectSameValues } from '#shared/engine/table/update.ts';
import type { KnownIssue } from '#shared/model/issues/known-issue.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { getHistoryUrl } from '#shared/model/runs/run-url.ts';
import { type FoundFailure, findFailure } from '../find-failure.ts';
import { buildIssueText } from '../issue-text.ts';
import type { TextBlock } from '../text/blocks.ts';
import { findTrackerProblem, TrackerPaused, TrackerUnusable } from './connections.ts';
import type { Pass } from './pass.ts';
import { type FindResult, getInstanceId, type RunResult } from './run-results.ts';

/** A text that names the run, and sorts by the time of its creation. Issues keep that of the newest counted run. */
const toSortableName = ({ createdAt, runId }: Run): string => `${encodeInstant(createdAt)} ${runId}`;

/**
 * A repeated call counts no run twice. Each comment is claimed before it is sent, and is sent again only if the tracker
 * did not work, limited the requests or refused the credential. Throws `TrackerPaused` if it needs a tracker that
 * cannot be asked now.
 */
export async function followRun(pass: Pass, run: Run, findResult: FindResult): Promise<void> {
  for (const { issueId, signature } of pass.issues.list()) {
    const result = findResult(run, signature);
    if (result) await countResult(pass, run, issueId, result);
  }
  // All tests are counted first, because an issue that is linked to several tests is closed only if all of them pass.
  for (const { issueId, signature } of pass.issues.list()) {
    const result = findResult(run, signature);
    const issue = pass.issues.find(issueId);
    // An issue that has counted a newer run follows that one.
    if (issue?.countedRun === toSortableName(run) && result) await updateTracker(pass, { run, issue, result });
  }
}

/** If a newer run was counted already, a failure can only change the time of the last failure. */
async function countResult({ issues }: Pass, run: Run, issueId: string, { outcome }: RunResult): Promise<void> {
  const issue = issues.find(issueId);
  const countedRun = toSortableName(run);
  if (!issue || run.createdAt <= issue.seenAt || issue.countedRun === countedRun) return;
  const isUnchanged = expectSameValues(issue, 'countedRun');
  const hasCountedNewer = issue.countedRun !== undefined && issue.countedRun > countedRun;
  if (outcome === 'passed') {
    if (hasCountedNewer || issue.state === 'done') return;
    const passes = (issue.passes ?? 0) + 1;
    await issues.change(issue, { set: Object.entries({ passes, countedRun }) }, isUnchanged);
    return;
  }
  const seenAt = run.createdAt;
  const changes = hasCountedNewer
    ? { set: Object.entries({ seenAt }) }
    : { set: Object.entries({ seenAt, passes: 0, countedRun }), remove: ['closing'] };
  await issues.change(issue, changes, isUnchanged);
}

interface IssueResult {
  readonly run: Run;
  readonly issue: KnownIssue;
  readonly result: RunResult;
}

/** A tracker that cannot be used any more does not end the pass: issues of other trackers follow. */
async function updateTracker(pass: Pass, issueResult: IssueResult): Promise<void> {
  const { outcome } = issueResult.result;
  try {
    if (outcome === 'passed') await closeIfPassing(pass, issueResult);
    else await reportIfClosed(pass, issueResult);
  } catch (error) {
    if (!(error instanceof TrackerUnusable)) throw error;
  }
}

/** Comments that the test fails again, once for each time that the issue was closed. */
async function reportIfClosed(pass: Pass, { run, issue, result }: IssueResult): Promise<void> {
  const { issues, settings, connections } = pass;
  const links = issues.listSame(issue);
  // Instead of another issue, the one that automation created gets the comment in any case.
  const shouldReport = settings.reportsAgain || issue.createdBy === formatActorName(AUTOMATION);
  if (!shouldReport || issue.state !== 'done' || run.createdAt <= (issue.doneAt ?? issue.createdAt)) return;
  if (links.some(({ reportedAgain }) => reportedAgain !== undefined)) return;
  await connections.check(issue.integrationId);
  const failure = await tryFindFailure(pass, result);
  if (!failure) return;
  const claim = { set: [['reportedAgain', run.runId]] } as const;
  const claimedIssue = await issues.change(
    issue,
    claim,
    { absent: 'reportedAgain' },
    { path: 'state', equals: 'done' },
  );
  if (!claimedIssue) return;
  const commentRequest = sendComment(pass, issue, buildFailureComment(result, failure));
  await settleRequest(pass, issue, commentRequest, () => issues.change(claimedIssue, { remove: ['reportedAgain'] }));
}

/** Announces and closes an issue after its tests have passed often enough in a row. */
async function closeIfPassing(pass: Pass, issueResult: IssueResult): Promise<void> {
  const { issue } = issueResult;
  const { issues, settings, connections } = pass;
  const { closesAfterPasses: requiredPasses } = settings;
  const links = issues.listSame(issue);
  if (requiredPasses === undefined || issue.state === 'done') return;
  if (links.some(({ passes = 0, closing }) => passes < requiredPasses || closing === 'refused')) return;
  await connections.check(issue.integrationId);
  // An earlier pass may have sent the comment, and then failed to close the issue.
  const isAnnounced = links.some(({ closing }) => closing === 'begun');
  if (!isAnnounced) {
    const claimedIssue = await issues.change(issue, { set: [['closing', 'begun']] }, { absent: 'closing' });
    if (!claimedIssue) return;
    const comment = buildClosingComment(pass, issueResult, links.length, requiredPasses);
    const commentRequest = sendComment(pass, issue, comment);
    await settleRequest(pass, issue, commentRequest, () => issues.change(claimedIssue, { remove: ['closing'] }));
  }
  await closeIssue(pass, issue);
}

async function closeIssue(pass: Pass, issue: KnownIssue): Promise<void> {
  const { issues, connections } = pass;
  // The answer to the comment may have said that the issue does not exist any more.
  if (issues.find(issue.issueId)?.state === 'done') return;
  const closeRequest = connections.ask(issue.integrationId, async (tracker) => {
    await tracker.close(issue.key);
    return tracker.get(issue.key);
  });
  const answer = await settleRequest(pass, issue, closeRequest, async () => undefined);
  if (answer) await issues.store(issue, answer.result);
  else if (issues.find(issue.issueId)?.state !== 'done') await issues.change(issue, { set: [['closing', 'refused']] });
}

const sendComment = (
  { connections }: Pass,
  { integrationId, key }: KnownIssue,
  text: readonly TextBlock[],
): Promise<void> => connections.ask(integrationId, (tracker) => tracker.comment(key, text));

/**
 * Waits for a request about the issue. If the tracker cannot be asked, `release` gives up the claim, so that a later
 * pass tries again. If the tracker does not accept the request, the claim stays, because a repeated request would fail
 * as well. Returns `undefined` unless the tracker has accepted the request. The result of a comment is `undefined`, too,
 * so it is a member of what is returned.
 */
async function settleRequest<Answer>(
  { issues, note }: Pass,
  issue: KnownIssue,
  request: Promise<Answer>,
  release: () => Promise<unknown>,
): Promise<{ readonly result: Answer } | undefined> {
  try {
    return { result: await request };
  } catch (error) {
    if (error instanceof TrackerPaused || error instanceof TrackerUnusable) await release();
    const problem = findTrackerProblem(error);
    if (problem === undefined) throw error;
    if (problem.verdict.kind === 'missing') await issues.store(issue, undefined);
    else note(`${issue.key} could not be changed. ${problem.message}`);
    return undefined;
  }
}

/** `undefined` if the run was deleted in the meantime. */
async function tryFindFailure({ services, project }: Pass, { row }: RunResult): Promise<FoundFailure | undefined> {
  const { organizationId, projectId } = project;
  const target = { instanceId: getInstanceId(row), testId: row.testId };
  try {
    return await findFailure(services, { organizationId, projectId, ...target });
  } catch (error) {
    if (error instanceof ApiError && error.details.missing !== undefined) return undefined;
    throw error;
  }
}

function buildFailureComment({ outcome }: RunResult, failure: FoundFailure): TextBlock[] {
  const what = outcome === 'flaky' ? 'was flaky again' : 'failed again';
  const text = `The test ${what} on the default branch after this issue was closed.`;
  return [{ kind: 'paragraph', spans: [{ kind: 'text', text }] }, ...buildIssueText(failure)];
}

function buildClosingComment(
  { services, project }: Pass,
  { run, issue }: Pick<IssueResult, 'run' | 'issue'>,
  testCount: number,
  passes: number,
): TextBlock[] {
  const passText = testCount === 1 ? 'The test passed' : `All ${testCount} tests of this issue passed`;
  const runs = passes === 1 ? 'a run' : `${passes} runs in a row`;
  const url = getHistoryUrl(services.origin, project, issue.signature);
  return [
    {
      kind: 'paragraph',
      spans: [
        { kind: 'text', text: `${passText} in ${runs} on ` },
        { kind: 'code', text: run.commit.branch ?? project.defaultBranchName },
        { kind: 'text', text: ', so Rundown closes this issue: ' },
        { kind: 'link', text: testCount === 1 ? 'history of the test' : 'history of one of them', url },
      ],
    },
  ];
}
