/** Reports a run to a code host: as the status of its commit, and as a comment on its pull request. */

import type { ApiNetwork } from '#shared/hosts/api-client.ts';
import type { HostNotification } from '#shared/model/events/notification.ts';
import type { NotificationDelivery } from '#shared/model/events/notification-delivery.ts';
import { findFullSha } from '#shared/model/runs/commit.ts';
import { isUnderWay, type Run } from '#shared/model/runs/run.ts';
import { DeliveryProblem } from '#shared/notifications/delivery-problem.ts';
import type { Services } from '#shared/services.ts';
import { writeStatus } from './commit-status.ts';
import { writeGateStatus } from './gate-status.ts';
import { type CodeHost, HostApi } from './host-api.ts';
import { writeComment } from './pull-request-comment.ts';

/** Ignores links to other repositories. A run without a link, such as an imported one, may have only the number. */
function findPullRequestNumber(
  { commit: { ghaEventData }, pullRequest }: Run,
  { numberIn }: CodeHost,
  notification: HostNotification,
): string | undefined {
  const links = [ghaEventData?.htmlUrl, ghaEventData?.issueUrl].filter((link) => typeof link === 'string');
  if (links.length === 0) return pullRequest?.id;
  return links.map((link) => numberIn(link, notification)).find((number) => number !== undefined);
}

interface HostReport {
  readonly host: CodeHost;
  readonly notification: HostNotification;
  readonly delivery: NotificationDelivery;
  /** The run to report. Absent for a test notification. */
  readonly run: Run | undefined;
  readonly token: string;
}

/** Returns a description of what was written. Throws `DeliveryProblem` if anything could not be written. */
export async function writeToHost(
  services: Services,
  network: ApiNetwork,
  { host, notification, delivery, run, token }: HostReport,
): Promise<string> {
  const api = new HostApi(host, { notification, token }, network);
  const { place, change } = api.texts;
  if (!run) {
    // A test notification must not write to any commit.
    await api.requireRepository();
    return `The token has access to the ${place}`;
  }
  const sha = findFullSha(run.commit);
  const pull = findPullRequestNumber(run, host, notification);
  const hasEnded = delivery.event === 'RunEnded' && !isUnderWay(run);
  const writesComment = notification.comments && hasEnded && pull !== undefined;
  const writesStatus = notification.sendsStatus && sha !== undefined;
  if (!writesStatus && !writesComment)
    throw new DeliveryProblem(
      { kind: 'pointless' },
      `The run does not name what this notification writes to (a commit, or a ${change} of this ${place}), or it is in progress again`,
    );
  const results: string[] = [];
  let problem: DeliveryProblem | undefined;
  if (writesStatus) {
    problem = await catchPointless(writeStatus(services, api, { notification, run, sha }));
    if (!problem) await writeGateStatus(services, api, { notification, run, sha });
    results.push('commit status');
  }
  if (writesComment) {
    await writeComment(services, api, { notification, run, pull });
    results.push(`comment on ${change} ${pull}`);
  }
  if (problem) throw problem;
  return results.join(', ');
}

/** So that the comment is still written if the host does not know the commit, or a newer run reported its status. */
async function catchPointless(writing: Promise<unknown>): Promise<DeliveryProblem | undefined> {
  try {
    await writing;
    return undefined;
  } catch (error) {
    if (error instanceof DeliveryProblem && error.verdict.kind === 'pointless') return error;
    throw error;
  }
}
