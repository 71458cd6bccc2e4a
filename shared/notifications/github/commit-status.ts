/** The status of a commit: whether the newest run of the project passed. */
import { beginningOf } from '#shared/engine/plain-text.ts';
import { composed } from '#shared/engine/table/keys.ts';
import type { GithubNotification } from '#shared/model/events/notification.ts';
import { isUnderWay, type Run } from '#shared/model/runs/run.ts';
import { runUrlOf } from '#shared/model/runs/run-url.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { countersOf, isFailedRun, runText } from '#shared/notifications/run-text.ts';
import { takeTurn } from '#shared/notifications/take-turn.ts';
import type { Services } from '#shared/services.ts';
import type { Github } from './github.ts';

type Reading = Pick<Services, 'table' | 'now' | 'origin'>;

interface Status {
  readonly state: 'pending' | 'success' | 'failure' | 'error';
  readonly description: string;
  readonly target_url: string;
  readonly context: string;
}

/** Writes the current state of the run, so that a late message about its start cannot hide its end. */
export async function writeStatus(
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

/** A cancelled run is an `error` and not a `failure`, because it says nothing about the commit. */
function stateOf(run: Run): Status['state'] {
  if (run.completionState === 'CANCELED') return 'error';
  return isFailedRun(run) || run.completionState === 'TIMEOUT' ? 'failure' : 'success';
}
