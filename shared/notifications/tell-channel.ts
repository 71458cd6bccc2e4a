import type { ChannelNotification } from '#shared/model/events/notification.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { readMergedBuild } from '#shared/results/builds/tries-of-build.ts';
import { findBase } from '#shared/results/comparisons/find-base.ts';
import { isSuccess, type ReceiverAnswer } from '#shared/sending/answer.ts';
import { type Network, sendRequest } from '#shared/sending/exchange.ts';
import { findUrlProblem } from '#shared/sending/url-rules.ts';
import type { Services } from '#shared/services.ts';
import { CHANNELS } from './channels.ts';
import { DeliveryProblem } from './delivery-problem.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';
import { type RunFacts, readRunFacts } from './run-facts.ts';
import { isFailedRun } from './run-text.ts';

interface ChannelMessage {
  readonly notification: ChannelNotification;
  /** The run to report. Absent for a test notification. */
  readonly run: Run | undefined;
  /** The address of the incoming webhook, which is a secret. */
  readonly address: string;
  /** Builds the body of the request, for a message about a run or for a fixed text. */
  readonly bodyOf: (content: RunFacts | string) => object;
}

/** Throws `DeliveryProblem` if the run is not to be reported, or if the channel does not accept the message. */
export async function tellChannel(
  services: Services,
  network: Network,
  { notification, run, address, bodyOf }: ChannelMessage,
): Promise<string> {
  if (run && !(await shouldReport(services, notification, run)))
    throw new DeliveryProblem({ kind: 'pointless' }, `The notification reports only ${REPORTED[notification.runs]}`);
  const body = bodyOf(run ? await readRunFacts(services, run, NOTIFICATION_LIMITS.channelTests) : TEST);
  await sendMessage(network, address, { body, name: CHANNELS[notification.kind].name });
  return 'message';
}

const REPORTED: Readonly<Record<ChannelNotification['runs'], string>> = {
  failed: 'failed runs',
  changed: 'runs whose result differs from that of the previous run',
  all: 'test runs',
};
const TEST = 'Rundown can reach this channel. It will report test runs here.';

async function shouldReport(services: Services, { runs }: ChannelNotification, run: Run): Promise<boolean> {
  const isFailed = await hasFailed(services, run);
  if (runs === 'all') return true;
  if (runs === 'failed') return isFailed;
  const { commit, completionState } = run;
  if (completionState === 'CANCELED') return false;
  const before = commit.branch === null ? undefined : await findBase(services, run, commit.branch);
  return before ? (await hasFailed(services, before.run)) !== isFailed : isFailed;
}

async function hasFailed(services: Services, run: Run): Promise<boolean> {
  const build = await readMergedBuild(services, run);
  return build ? build.state !== 'passed' : isFailedRun(run) || run.completionState === 'TIMEOUT';
}

/** Uses a new connection, because a request on a reused one may be sent again, and the message would appear twice. */
async function sendMessage(
  network: Network,
  address: string,
  { body: content, name }: { readonly body: object; readonly name: string },
): Promise<void> {
  if (findUrlProblem(address, network) !== undefined)
    throw new DeliveryProblem(
      { kind: 'refused' },
      'This deployment does not send to the stored address. Enter a public https address',
    );
  const body = JSON.stringify(content);
  const headers = { 'Content-Type': 'application/json', 'User-Agent': 'Rundown-Notifications/1' };
  const answer = await sendRequest({ method: 'POST', url: new URL(address), headers, body }, network);
  const problem = findProblem(answer, name);
  if (problem) throw problem;
}

const POINTLESS = [400, 413];
const REFUSED = [301, 302, 303, 307, 308, 401, 403, 404, 410];

/** Shows only the error codes that Slack sends in plain text, such as `no_service` or `channel_is_archived`. */
function findProblem(
  { statusCode, error, text, retryAfter }: ReceiverAnswer,
  name: string,
): DeliveryProblem | undefined {
  if (error === null) return undefined;
  if (statusCode === null || isSuccess(statusCode)) return new DeliveryProblem({ kind: 'failed' }, error, statusCode);
  const code = /^[a-z_]{1,64}$/.exec(text ?? '')?.[0];
  const statusText = `${statusCode}${code ? ` ${code}` : ''}`;
  if (statusCode === 429)
    return new DeliveryProblem(
      { kind: 'failed', retryAfter, pauses: true },
      `${name}: the rate limit is reached (${statusText})`,
      429,
    );
  if (REFUSED.includes(statusCode)) {
    const problem = `${name}: no messages are accepted at this address (${statusText}). Create a new incoming webhook`;
    return new DeliveryProblem({ kind: 'refused' }, problem, statusCode);
  }
  const kind = POINTLESS.includes(statusCode) ? 'pointless' : 'failed';
  return new DeliveryProblem({ kind }, `${name}: the message was not accepted (${statusText})`, statusCode);
}
