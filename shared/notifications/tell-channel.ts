import type { ChannelNotification } from '#shared/model/events/notification.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { findBase } from '#shared/results/find-base.ts';
import { readMergedBuild } from '#shared/results/tries-of-build.ts';
import { isSuccess, type ReceiverAnswer } from '#shared/sending/answer.ts';
import { type Network, request } from '#shared/sending/exchange.ts';
import { problemOfUrl } from '#shared/sending/url-rules.ts';
import type { Services } from '#shared/services.ts';
import { CHANNELS } from './channels.ts';
import { Ended } from './ended.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';
import { factsOf, type RunFacts } from './run-facts.ts';
import { isFailedRun } from './run-text.ts';

interface Message {
  readonly notification: ChannelNotification;
  /** The run to report. Absent for a test notification. */
  readonly run: Run | undefined;
  /** The address of the incoming webhook, which is a secret. */
  readonly address: string;
  /** Builds the body of the request, for a message about a run or for a fixed text. */
  readonly bodyOf: (content: RunFacts | string) => object;
}

/** Throws `Ended` with the outcome if the run is not to be reported, or if the channel does not accept the message. */
export async function tellChannel(
  services: Services,
  network: Network,
  { notification, run, address, bodyOf }: Message,
): Promise<string> {
  if (run && !(await isTold(services, notification, run)))
    throw new Ended({ kind: 'pointless' }, `The notification reports only ${REPORTED[notification.runs]}`);
  const body = bodyOf(run ? await factsOf(services, run, NOTIFICATION_LIMITS.channelTests) : TEST);
  await post(network, address, { body, name: CHANNELS[notification.kind].name });
  return 'message';
}

const REPORTED: Readonly<Record<ChannelNotification['runs'], string>> = {
  failed: 'failed runs',
  changed: 'runs whose result differs from that of the previous run',
  all: 'test runs',
};
const TEST = 'Rundown can reach this channel. It will report test runs here.';

async function isTold(services: Services, { runs }: ChannelNotification, run: Run): Promise<boolean> {
  const failed = await isBad(services, run);
  if (runs === 'all') return true;
  if (runs === 'failed') return failed;
  const { commit, completionState } = run;
  if (completionState === 'CANCELED') return false;
  const before = commit.branch === null ? undefined : await findBase(services, run, commit.branch);
  return before ? (await isBad(services, before.run)) !== failed : failed;
}

async function isBad(services: Services, run: Run): Promise<boolean> {
  const build = await readMergedBuild(services, run);
  return build ? build.state !== 'passed' : isFailedRun(run) || run.completionState === 'TIMEOUT';
}

/**
 * Uses a new connection. A reused connection may break after the receiver has accepted the message. The request would
 * then be sent again, and the message would appear twice.
 */
async function post(
  network: Network,
  address: string,
  { body: content, name }: { readonly body: object; readonly name: string },
): Promise<void> {
  if (problemOfUrl(address, network) !== undefined)
    throw new Ended(
      { kind: 'refused' },
      'This deployment does not send to the stored address. Enter a public https address',
    );
  const body = JSON.stringify(content);
  const headers = { 'Content-Type': 'application/json', 'User-Agent': 'Rundown-Notifications/1' };
  const answer = await request({ method: 'POST', url: new URL(address), headers, body }, network);
  const problem = problemOf(answer, name);
  if (problem) throw problem;
}

const POINTLESS = [400, 413];
const REFUSED = [301, 302, 303, 307, 308, 401, 403, 404, 410];

/**
 * Translates a response into an outcome. Slack sends error codes in plain text, such as `no_service` or
 * `channel_is_archived`. Other texts in responses are not shown.
 */
function problemOf({ statusCode, error, text, retryAfter }: ReceiverAnswer, name: string): Ended | undefined {
  if (error === null) return undefined;
  if (statusCode === null || isSuccess(statusCode)) return new Ended({ kind: 'failed' }, error, statusCode);
  const said = /^[a-z_]{1,64}$/.exec(text ?? '')?.[0];
  const answered = `${statusCode}${said ? ` ${said}` : ''}`;
  if (statusCode === 429)
    return new Ended(
      { kind: 'failed', retryAfter, pauses: true },
      `${name}: the rate limit is reached (${answered})`,
      429,
    );
  if (REFUSED.includes(statusCode)) {
    const problem = `${name}: no messages are accepted at this address (${answered}). Create a new incoming webhook`;
    return new Ended({ kind: 'refused' }, problem, statusCode);
  }
  const kind = POINTLESS.includes(statusCode) ? 'pointless' : 'failed';
  return new Ended({ kind }, `${name}: the message was not accepted (${answered})`, statusCode);
}
