/** Reports a run to GitHub: as the status of its commit, and as a comment on its pull request. */

import { beginningOf } from '#shared/engine/plain-text.ts';
import { composed } from '#shared/engine/table/keys.ts';
import type { GithubNotification } from '#shared/model/events/notification.ts';
import type { NotificationDelivery } from '#shared/model/events/notification-delivery.ts';
import { knownShas } from '#shared/model/runs/commit.ts';
import { isUnderWay, type Run } from '#shared/model/runs/run.ts';
import { runUrlOf } from '#shared/model/runs/run-url.ts';
import { Ended } from '#shared/notifications/ended.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { countersOf, isFailedRun, runText } from '#shared/notifications/run-text.ts';
import { takeTurn } from '#shared/notifications/take-turn.ts';
import type { Services } from '#shared/services.ts';
import { Github, type GithubNetwork } from './github.ts';
import { writeComment } from './pull-request-comment.ts';

/** A complete commit hash, SHA-1 or SHA-256. */
const SHA = /^(?:[\da-f]{40}|[\da-f]{64})$/i;

const shaOf = ({ commit }: Run): string | undefined =>
  knownShas(commit)
    .find((sha) => SHA.test(sha))
    ?.toLowerCase();

const NUMBERED = /\/([^/]+\/[^/]+)\/(?:pull|pulls|issues)\/(\d{1,12})(?:$|[/?#])/;

/** The number of the pull request that the run links to. Ignores links to other repositories. */
function pullRequestNumber(
  { commit: { ghaEventData } }: Run,
  { repository }: Pick<GithubNotification, 'repository'>,
): string | undefined {
  for (const link of [ghaEventData?.htmlUrl, ghaEventData?.issueUrl]) {
    const [, named = '', number] = NUMBERED.exec(link ?? '') ?? [];
    if (named.toLowerCase() === repository.toLowerCase()) return number;
  }
  return undefined;
}

interface Telling {
  readonly notification: GithubNotification;
  readonly delivery: NotificationDelivery;
  /** The run to report. Absent for a test notification. */
  readonly run: Run | undefined;
  readonly token: string;
}

/** Returns a description of what was written. Throws `Ended` with the outcome if anything could not be written. */
export async function writeGithub(
  services: Services,
  network: GithubNetwork,
  { notification, delivery, run, token }: Telling,
): Promise<string> {
  const github = new Github(notification, token, network);
  if (!run) return testGithub(github);
  const sha = shaOf(run);
  const pull = pullRequestNumber(run, notification);
  const toComment = notification.comments && delivery.event === 'RunEnded' && pull !== undefined && !isUnderWay(run);
  const toStatus = notification.sendsStatus && sha !== undefined;
  if (!toStatus && !toComment) throw new Ended({ kind: 'pointless' }, LACKING);
  const problem = toStatus
    ? await unlessPointless(writeStatus(services, github, { notification, run, sha }))
    : undefined;
  if (toComment) await writeComment(services, github, { notification, run, pull });
  if (problem) throw problem;
  return [toStatus ? 'commit status' : [], toComment ? `comment on pull request ${pull}` : []].flat().join(', ');
}

const LACKING = 'The run names no commit and no pull request of this repository';

/**
 * Returns an error that affects only the commit status, so that the comment on the pull request is still written.
 * GitHub may not know the commit, or a newer run may have reported its status.
 */
async function unlessPointless(writing: Promise<unknown>): Promise<Ended | undefined> {
  try {
    await writing;
    return undefined;
  } catch (error) {
    if (error instanceof Ended && error.verdict.kind === 'pointless') return error;
    throw error;
  }
}

/** A test notification must not write to any commit, so it only reads the repository. */
async function testGithub(github: Github): Promise<string> {
  await github.call({ method: 'GET', path: '', does: 'repository' });
  return 'The token has access to the repository';
}

// Builds the status of a commit, which says whether the newest run of the project passed.

type Reading = Pick<Services, 'table' | 'now' | 'origin'>;

interface Status {
  readonly state: 'pending' | 'success' | 'failure' | 'error';
  readonly description: string;
  readonly target_url: string;
  readonly context: string;
}

/**
 * Writes the status of the commit from the current state of the run, so that a late message about the start of the run
 * cannot overwrite its result.
 */
async function writeStatus(
  services: Reading,
  github: Github,
  { notification, run, sha }: { readonly notification: GithubNotification; readonly run: Run; readonly sha: string },
): Promise<boolean> {
  const status = await statusOf(services, notification, run);
  const turn = { receiver: notification, target: composed('status', sha), run, text: JSON.stringify(status) };
  return takeTurn(services, turn, async () => {
    await github.call({ method: 'POST', path: `/statuses/${sha}`, body: status, does: 'commit status' });
    return {};
  });
}

async function statusOf(services: Reading, { context }: GithubNotification, run: Run): Promise<Status> {
  const common = { target_url: runUrlOf(services.origin, run), context };
  if (isUnderWay(run)) return { ...common, state: 'pending', description: 'Tests are running' };
  const description = beginningOf(runText(run, await countersOf(services, run)), NOTIFICATION_LIMITS.statusCharacters);
  return { ...common, state: stateOf(run), description };
}

/** The state of a cancelled run is `error` and not `failure`, because the run says nothing about the commit. */
function stateOf(run: Run): Status['state'] {
  if (run.completionState === 'CANCELED') return 'error';
  return isFailedRun(run) || run.completionState === 'TIMEOUT' ? 'failure' : 'success';
}
