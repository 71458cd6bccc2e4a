/** Tells a Slack channel about a run, by an incoming webhook. Not idempotent: Slack shows one message per request. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import type { SlackNotification } from '#shared/model/events/notification.ts';
import { projects } from '#shared/model/organizations/project.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { comparedRun } from '#shared/notifications/compared.ts';
import { Ended } from '#shared/notifications/ended.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { countersOf, isFailedRun, runText } from '#shared/notifications/run-text.ts';
import { findBase } from '#shared/results/find-base.ts';
import { isSuccess, type ReceiverAnswer } from '#shared/sending/answer.ts';
import type { Network } from '#shared/sending/exchange.ts';
import { request } from '#shared/sending/request.ts';
import { problemOfUrl } from '#shared/sending/url-rules.ts';
import type { Services } from '#shared/services.ts';
import { slackText } from './slack-text.ts';

interface Telling {
  readonly notification: SlackNotification;
  /** Absent for a test. */
  readonly run: Run | undefined;
  /** The address of the incoming webhook, which is a secret. */
  readonly address: string;
}

/** Returns a description of what was written. Throws `Ended` with the outcome if nothing was. */
export async function writeSlack(
  services: Services,
  network: Network,
  { notification, run, address }: Telling,
): Promise<string> {
  if (run && !(await isTold(services, notification, run)))
    throw new Ended({ kind: 'pointless' }, `The notification reports ${notification.runs} runs only`);
  await post(network, address, run ? await textOf(services, run) : TEST);
  return 'message';
}

const TEST = 'Rundown can reach this channel. It will report test runs here.';

async function isTold(services: Services, { runs }: SlackNotification, run: Run): Promise<boolean> {
  const failed = isBad(run);
  if (runs === 'all') return true;
  if (runs === 'failed') return failed;
  const { commit, completionState } = run;
  if (completionState === 'CANCELED') return false;
  const before = commit.branch === null ? undefined : await findBase(services, run, commit.branch);
  return before ? isBad(before.run) !== failed : failed;
}

const isBad = (run: Run): boolean => isFailedRun(run) || run.completionState === 'TIMEOUT';

async function textOf(services: Services, run: Run): Promise<string> {
  const [project, comparison, counters] = await Promise.all([
    services.table.get(projects, run),
    comparedRun(services, run, NOTIFICATION_LIMITS.slackTests),
    countersOf(services, run),
  ]);
  const { name: projectName } = project ?? refuse(notFound('Project'));
  return slackText({ origin: services.origin, projectName, run, result: runText(run, counters), comparison });
}

/**
 * Uses a new connection: a kept one may break after Slack took the message, and repeating the request would show it
 * twice.
 */
async function post(network: Network, address: string, text: string): Promise<void> {
  if (problemOfUrl(address, network) !== undefined)
    throw new Ended({ kind: 'refused' }, 'The stored address is not allowed here. Enter it again');
  const body = JSON.stringify({ text, unfurl_links: false, unfurl_media: false });
  const headers = { 'Content-Type': 'application/json', 'User-Agent': 'Rundown-Notifications/1' };
  const answer = await request({ method: 'POST', url: new URL(address), headers, body }, network);
  const problem = problemOf(answer);
  if (problem) throw problem;
}

const POINTLESS = [400, 413];
const REFUSED = [301, 302, 303, 307, 308, 401, 403, 404, 410];

/** Slack answers in plain text, such as `no_service` or `channel_is_archived`. */
function problemOf({ statusCode, error, text, retryAfter }: ReceiverAnswer): Ended | undefined {
  if (error === null) return undefined;
  if (statusCode === null || isSuccess(statusCode)) return new Ended({ kind: 'failed' }, error, statusCode);
  const said = /^[a-z_]{1,64}$/.exec(text ?? '')?.[0];
  const answered = `${statusCode}${said ? ` ${said}` : ''}`;
  if (statusCode === 429)
    return new Ended({ kind: 'failed', retryAfter, pauses: true }, `Slack's rate limit is reached (${answered})`, 429);
  if (REFUSED.includes(statusCode)) {
    const problem = `Slack does not accept messages at this address (${answered}). Create a new incoming webhook`;
    return new Ended({ kind: 'refused' }, problem, statusCode);
  }
  const kind = POINTLESS.includes(statusCode) ? 'pointless' : 'failed';
  return new Ended({ kind }, `Slack refused the message (${answered})`, statusCode);
}
