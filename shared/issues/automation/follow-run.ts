/**
 * §5.2 Updates the issues of a project from one ended run, and comments on or closes them if the settings ask for that.
 */
import { AUTOMATION, formatActorName } from '#shared/access/actor.ts';
import { ApiError } from '#shared/engine/errors.ts';
import { encodeInstant } from '#shared/engine/table/keys.ts';
import { expectSameValues } from '#shared/engine/table/update.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { getHistoryUrl } from '#shared/model/runs/run-url.ts';
import type { KnownIssue } from '#shared/model/tests/known-issue.ts';
import { type FoundFailure, findFailure } from '../find-failure.ts';
import { issueTextOf } from '../issue-text.ts';
import type { Block } from '../text/blocks.ts';
import { problemIn, TrackerPaused, TrackerUnusable } from './connections.ts';
import type { Pass } from './pass.ts';
import { instanceOf, type Result, type ResultOf } from './run-results.ts';

/** A key that sorts runs by the time of their creation. */
const placeOf = ({ createdAt, runId }: Run): string => `${encodeInstant(createdAt)} ${runId}`;

/**
 * A repeated call counts no run twice. Each comment is claimed before it is sent, and is sent again only if the tracker
 * did not work, limited the requests or refused the credential. Throws `TrackerPaused` if it needs a tracker that
 * cannot be asked now.
 */
export async function followRun(pass: Pass, run: Run, resultOf: ResultOf): Promise<void> {
  for (const { issueId, signature } of pass.issues.all()) {
    const result = resultOf(run, signature);
    if (result) await count(pass, run, issueId, result);
  }
  // All tests are counted first, because an issue that is linked to several tests is closed only if all of them pass.
  for (const { issueId, signature } of pass.issues.all()) {
    const result = resultOf(run, signature);
    const issue = pass.issues.find(issueId);
    if (issue?.countedRun === placeOf(run) && result) await act(pass, { run, issue, result });
  }
}

/**
 * Counts a run that was created after the last known failure. If a newer run was counted already, the run can only
 * change the time of the last failure.
 */
async function count({ issues }: Pass, run: Run, issueId: string, { outcome }: Result): Promise<void> {
  const issue = issues.find(issueId);
  const place = placeOf(run);
  if (!issue || run.createdAt <= issue.seenAt || issue.countedRun === place) return;
  const unchanged = expectSameValues(issue, 'countedRun');
  const isOld = issue.countedRun !== undefined && issue.countedRun > place;
  if (outcome === 'passed') {
    if (isOld || issue.state === 'done') return;
    const set = Object.entries({ passes: (issue.passes ?? 0) + 1, countedRun: place });
    await issues.change(issue, { set }, unchanged);
    return;
  }
  const set = Object.entries({ seenAt: run.createdAt, ...(isOld ? {} : { passes: 0, countedRun: place }) });
  await issues.change(issue, { set, remove: isOld ? [] : ['closing'] }, unchanged);
}

interface Acting {
  readonly run: Run;
  readonly issue: KnownIssue;
  readonly result: Result;
}

async function act(pass: Pass, acting: Acting): Promise<void> {
  const { outcome } = acting.result;
  try {
    if (outcome === 'passed') await closeIfPassing(pass, acting);
    else await reportIfClosed(pass, acting);
  } catch (error) {
    if (!(error instanceof TrackerUnusable)) throw error;
  }
}

/** Comments that the test fails again, once for each time that the issue was closed. */
async function reportIfClosed(pass: Pass, { run, issue, result }: Acting): Promise<void> {
  const { issues, settings, connections } = pass;
  const links = issues.sameAs(issue);
  // Instead of another issue, the one that automation created gets the comment in any case.
  const reports = settings.reportsAgain || issue.createdBy === formatActorName(AUTOMATION);
  if (!reports || issue.state !== 'done' || run.createdAt <= (issue.doneAt ?? issue.createdAt)) return;
  if (links.some(({ reportedAgain }) => reportedAgain !== undefined)) return;
  await connections.check(issue.integrationId);
  const failure = await failureIn(pass, result);
  if (!failure) return;
  const claim = { set: [['reportedAgain', run.runId]] } as const;
  const claimed = await issues.change(issue, claim, { absent: 'reportedAgain' }, { path: 'state', equals: 'done' });
  if (!claimed) return;
  const sends = say(pass, issue, againText(result, failure));
  await unlessRefused(pass, issue, sends, () => issues.change(claimed, { remove: ['reportedAgain'] }));
}

/** Comments on the issue and closes it once all of its tests have passed in enough runs in a row. */
async function closeIfPassing(pass: Pass, { run, issue }: Acting): Promise<void> {
  const { issues, settings, connections } = pass;
  const { closesAfterPasses: wanted } = settings;
  const links = issues.sameAs(issue);
  if (wanted === undefined || issue.state === 'done') return;
  if (links.some(({ passes = 0, closing }) => passes < wanted || closing === 'refused')) return;
  await connections.check(issue.integrationId);
  if (!links.some(({ closing }) => closing === 'begun')) {
    const claimed = await issues.change(issue, { set: [['closing', 'begun']] }, { absent: 'closing' });
    if (!claimed) return;
    const sends = say(pass, issue, passesText(pass, { run, issue }, links.length, wanted));
    await unlessRefused(pass, issue, sends, () => issues.change(claimed, { remove: ['closing'] }));
  }
  if (issues.find(issue.issueId)?.state === 'done') return;
  const closes = connections.ask(issue.integrationId, async (tracker) => {
    await tracker.close(issue.key);
    return tracker.get(issue.key);
  });
  const closed = await unlessRefused(pass, issue, closes, async () => undefined);
  if (closed) await issues.store(issue, closed.result);
  else if (issues.find(issue.issueId)?.state !== 'done') await issues.change(issue, { set: [['closing', 'refused']] });
}

const say = ({ connections }: Pass, { integrationId, key }: KnownIssue, text: readonly Block[]): Promise<void> =>
  connections.ask(integrationId, (tracker) => tracker.comment(key, text));

/**
 * Waits for a request about the issue. If the tracker cannot be asked, `release` gives up the claim, so that a later
 * pass tries again. If the tracker does not accept the request, the claim stays, because a repeated request would fail
 * as well.
 */
async function unlessRefused<Answer>(
  { issues, note }: Pass,
  issue: KnownIssue,
  request: Promise<Answer>,
  release: () => Promise<unknown>,
): Promise<{ readonly result: Answer } | undefined> {
  try {
    return { result: await request };
  } catch (error) {
    if (error instanceof TrackerPaused || error instanceof TrackerUnusable) await release();
    const problem = problemIn(error);
    if (problem === undefined) throw error;
    if (problem.verdict.kind === 'missing') await issues.store(issue, undefined);
    else note(`${issue.key} could not be changed. ${problem.message}`);
    return undefined;
  }
}

/** `undefined` if the run was deleted in the meantime. */
async function failureIn({ services, project }: Pass, { row }: Result): Promise<FoundFailure | undefined> {
  const { organizationId, projectId } = project;
  const target = { instanceId: instanceOf(row), testId: row.testId };
  try {
    return await findFailure(services, { organizationId, projectId, ...target });
  } catch (error) {
    if (error instanceof ApiError && error.details.missing !== undefined) return undefined;
    throw error;
  }
}

function againText({ outcome }: Result, failure: FoundFailure): Block[] {
  const what = outcome === 'flaky' ? 'was flaky again' : 'failed again';
  const text = `The test ${what} on the default branch after this issue was closed.`;
  return [{ kind: 'paragraph', spans: [{ kind: 'text', text }] }, ...issueTextOf(failure)];
}

/** `tests`: the number of tests of the issue. */
function passesText(
  { services, project }: Pass,
  { run, issue }: Pick<Acting, 'run' | 'issue'>,
  tests: number,
  passes: number,
): Block[] {
  const passed = tests === 1 ? 'The test passed' : `All ${tests} tests of this issue passed`;
  const runs = passes === 1 ? 'a run' : `${passes} runs in a row`;
  const url = getHistoryUrl(services.origin, project, issue.signature);
  return [
    {
      kind: 'paragraph',
      spans: [
        { kind: 'text', text: `${passed} in ${runs} on ` },
        { kind: 'code', text: run.commit.branch ?? project.defaultBranchName },
        { kind: 'text', text: ', so Rundown closes this issue: ' },
        { kind: 'link', text: tests === 1 ? 'history of the test' : 'history of one of them', url },
      ],
    },
  ];
}
