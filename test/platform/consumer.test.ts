import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { consumer } from '#shared/platform/consumer.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import type { MessageSource } from '#shared/platform/outlets.ts';

for (const name of [ENVIRONMENT.tableName, ENVIRONMENT.artifactsBucket, ENVIRONMENT.publicOrigin]) {
  vi.stubEnv(name, 'unused');
}

const declared = (source: MessageSource, concurrently: boolean) =>
  ({
    name: 'work',
    source,
    access: { table: 'none', artifacts: 'none' },
    summary: '',
    maxReceiveCount: 5,
    timeoutSeconds: 1,
    messagesPerCall: 10,
    concurrently,
    message: z.object({ n: z.number() }),
  }) as const;

const record = (messageId: string, body: object) => ({
  messageId,
  body: JSON.stringify(body),
  receiptHandle: '',
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '0',
    SenderId: '',
    ApproximateFirstReceiveTimestamp: '0',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: '',
  awsRegion: '',
});

const three = { Records: [1, 2, 3].map((n) => record(`m${n}`, { n })) };

test.each([
  [true, ['1 begins', '2 begins', '3 begins', '1 ends', '2 ends', '3 ends']],
  [false, ['1 begins', '1 ends', '2 begins', '2 ends', '3 begins', '3 ends']],
])(
  'A queue consumer handles the messages of one call concurrently only if its declaration allows it (allowed: %s)',
  async (concurrently, order) => {
    const steps: string[] = [];
    const handle = async ({ n }: { n: number }) => {
      steps.push(`${n} begins`);
      await new Promise(setImmediate);
      steps.push(`${n} ends`);
      return [];
    };
    await consumer({ ...declared('delivery', concurrently), handle })(three);
    expect(steps).toEqual(order);
  },
);

test.each([true, false])(
  'A queue consumer reports only the failed messages for redelivery (handled concurrently: %s)',
  async (concurrently) => {
    const complained = vi.spyOn(console, 'error').mockImplementation(() => {});
    const handle = async ({ n }: { n: number }) => {
      if (n !== 2) throw new Error('This one fails');
      return [];
    };
    expect(await consumer({ ...declared('delivery', concurrently), handle })(three)).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm1' }, { itemIdentifier: 'm3' }],
    });
    complained.mockRestore();
  },
);

test('A consumer of run events gets each event without its EventBridge envelope', async () => {
  const handled: unknown[] = [];
  const handler = consumer({
    ...declared('runEvent', false),
    handle: async (message) => {
      handled.push(message);
      return [];
    },
  });
  const Records = [record('m1', { source: 'rundown', 'detail-type': 'RUN_START', detail: { n: 7 } })];
  expect(await handler({ Records })).toEqual({ batchItemFailures: [] });
  expect(handled).toEqual([{ n: 7 }]);
});
