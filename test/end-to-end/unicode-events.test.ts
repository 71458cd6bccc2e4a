/**
 * §6 Tests that events with any text arrive. `npm run test:unicode` sends 50,000 events, which together contain every
 * code point.
 */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { retryRows } from '#test/events/own-service.ts';
import { rowsLeft } from '#test/events/rows.ts';
import { cases, IS_DEEP } from '#test/harness/cases.ts';
import { queueOf } from '#test/harness/queues.ts';
import { receiver } from '#test/harness/receiver.ts';
import { startRun } from '#test/harness/recording.ts';
import { COMMIT, suiteGroup } from '#test/harness/recording-messages.ts';
import { deliverEvents, service } from '#test/harness/service.ts';
import { anyText, asSent, shortText } from './any-text.ts';

deliverEvents();

const EVENTS = cases(400, 60);
/** The number of groups per run: at least one for each class of characters. */
const GROUPS = IS_DEEP ? 40 : 30;
/** Each group of a run causes two events: its start and its cancellation. */
const RUNS = Math.ceil(EVENTS / (2 * GROUPS));
const TIMEOUT = 170_000 + EVENTS * 60;

const WebhookBody = z.object({
  event: z.string(),
  buildId: z.string(),
  groupId: z.string(),
  tags: z.array(z.string()),
  commit: z.object({ branch: z.string(), message: z.string(), authorName: z.string() }),
});
type WebhookBody = z.infer<typeof WebhookBody>;

/** All texts of one event in one string, for comparison. */
const wordsOf = ({ event, buildId, groupId, tags, commit: { branch, message, authorName } }: WebhookBody): string =>
  JSON.stringify([event, buildId, groupId, tags, branch, message.trimEnd(), authorName]);

const groupsOf = (run: number) => Array.from({ length: GROUPS }, (_, group) => anyText(run * GROUPS + group));

function expectedOf(run: number): string[] {
  const text = anyText(run);
  const commit = { branch: asSent(text), message: asSent(text), authorName: asSent(text) };
  return ['RUN_START', 'RUN_CANCELED'].flatMap((event) =>
    groupsOf(run).map((group) => {
      const groupId = asSent(group);
      const tag = asSent(shortText(run));
      return wordsOf({ event, buildId: asSent(`${run} ${text}`), groupId, tags: [tag], commit });
    }),
  );
}

test(`${EVENTS} webhook events with characters of every class arrive unchanged, except for characters that SQS refuses, and no event remains in the outbox or a queue`, {
  timeout: TIMEOUT,
}, async () => {
  const here = await service();
  const came: string[] = [];
  const { url } = await receiver((response, { body }) => {
    came.push(wordsOf(WebhookBody.parse(JSON.parse(body))));
    response.writeHead(204).end();
  });
  expect(await here.api.post(`/webhooks?projectId=${here.projectId}`, { url })).toMatchObject({ status: 201 });
  for (let run = 0; run < RUNS; run += 1) {
    const text = anyText(run);
    const tag = shortText(run);
    const suite = groupsOf(run).map((group) => suiteGroup(group, ['a.spec.ts > a'], { tags: [tag] }));
    const commit = { ...COMMIT, branch: text, message: text, authorName: text };
    const { runId } = await startRun(here, suite, { ciBuildId: `${run} ${text}`, commit });
    expect(await here.api.put(`/runs/${runId}/cancel`)).toMatchObject({ status: 200 });
  }
  const expected = Array.from({ length: RUNS }, (_, run) => expectedOf(run)).flat();
  await expect.poll(() => new Set(came).size, { timeout: TIMEOUT, interval: 500 }).toBe(expected.length);
  expect([...new Set(came)].sort()).toEqual(expected.sort());
  const queues = ['fanOutRunEvent', 'deliverWebhook'].map((name) => queueOf(here.environment, name));
  const stuck = async () => {
    const { table } = here.services;
    const rows = [...(await rowsLeft(table)), ...(await retryRows(table))].length;
    const messages = await Promise.all(queues.flatMap((queue) => [queue.count(), queue.deadLetters()]));
    return messages.reduce((sum, count) => sum + count, rows);
  };
  await expect.poll(stuck).toBe(0);
});
