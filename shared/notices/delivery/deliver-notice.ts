/** Delivers notices, by the same machinery as webhooks: one job for each attempt. */
import type { Secrets } from '#shared/engine/secrets/secrets.ts';
import type { Caps } from '#shared/fair-shares/call-slots.ts';
import { dueNotices } from '#shared/model/due.ts';
import { type Notice, notices } from '#shared/model/notice.ts';
import { type NoticeDelivery, noticeDeliveries } from '#shared/model/notice-delivery.ts';
import type { DeliveryJob } from '#shared/model/outbox-content.ts';
import { type Run, runs } from '#shared/model/run.ts';
import { Ended } from '#shared/notices/ended.ts';
import { writeGithub } from '#shared/notices/github/write-github.ts';
import { NOTICE_LIMITS } from '#shared/notices/limits.ts';
import { writeSlack } from '#shared/notices/slack/write-slack.ts';
import type { Services } from '#shared/services.ts';
import type { Connections } from '#shared/webhooks/connections.ts';
import type { Network } from '#shared/webhooks/exchange.ts';
import type { Line, Sent, SpecialOutcome } from '#shared/webhooks/line.ts';
import { type JobServices, runJob } from '#shared/webhooks/run-job.ts';

export interface NoticeSender extends Services {
  readonly queue: JobServices['queue'];
  readonly secrets: Pick<Secrets, 'get'>;
  readonly connections?: Connections;
  readonly lookup?: Network['lookup'];
}

/** The caps of the sender of notices. A slow receiver of one organization must not hold back others. */
export const NOTICE_CAPS: Caps = {
  ...NOTICE_LIMITS.sending,
  work: 'notices',
  leaseMilliseconds: NOTICE_LIMITS.leaseMilliseconds,
};

/** Runs one delivery job of a notice. */
export const deliverNotice = (job: DeliveryJob, sender: NoticeSender): Promise<readonly object[]> =>
  runJob(job, sender, lineOf(sender));

const lineOf = (sender: NoticeSender): Line<Notice, NoticeDelivery> => ({
  receivers: notices,
  deliveries: noticeDeliveries,
  due: dueNotices,
  send: async (notice, delivery, at) => {
    try {
      const done = await tell(sender, notice, delivery, at);
      return { outcome: 'delivered', attempt: attemptOf(sender, at, { statusCode: 200, error: null, answer: done }) };
    } catch (error) {
      if (error instanceof Ended) return outcomeOf(sender, at, error);
      throw error;
    }
  },
});

async function tell(sender: NoticeSender, notice: Notice, delivery: NoticeDelivery, at: number): Promise<string> {
  const run = await runOf(sender, delivery);
  const secret = await sender.secrets.get(notice.secretName);
  if (secret === undefined) throw new Ended({ kind: 'refused' }, 'The stored credential is gone. Enter it again');
  const kept = sender.connections?.of(notice.hookId, at);
  const network = { ...sender, kept };
  switch (notice.kind) {
    case 'github':
      return writeGithub(sender, network, { notice, delivery, run, token: secret });
    case 'slack':
      return writeSlack(sender, sender, { notice, run, address: secret });
  }
}

/** The run as it is now. `undefined` for a test. */
async function runOf({ table }: NoticeSender, { organizationId, runId }: NoticeDelivery): Promise<Run | undefined> {
  if (runId === null) return undefined;
  const run = await table.get(runs, { organizationId, runId }, { consistent: true });
  if (!run) throw new Ended({ kind: 'pointless' }, 'The run does not exist any more');
  return run;
}

const attemptOf = (
  { now }: NoticeSender,
  at: number,
  result: { readonly statusCode: number | null; readonly error: string | null; readonly answer: string | null },
) => ({ at, latencyMs: now() - at, ...result });

function outcomeOf(sender: NoticeSender, at: number, { verdict, message, statusCode }: Ended): Sent | SpecialOutcome {
  const attempt = attemptOf(sender, at, { statusCode, error: message, answer: null });
  switch (verdict.kind) {
    case 'failed':
      return { outcome: 'failed', attempt, retryAfter: verdict.retryAfter, pauses: verdict.pauses === true };
    case 'refused':
      return { outcome: 'refused', attempt, problem: message };
    case 'pointless':
      return { outcome: 'pointless', attempt };
    case 'busy':
      return { outcome: 'busy', until: verdict.until };
  }
}
