import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { startService } from '#infra/local/service.ts';
import { withResources } from './changed-assembly.ts';
import { localService } from './local-service.ts';
import { messagesOf } from './messages.ts';

const running = localService();

const Answer = z.object({
  FailedEntryCount: z.number(),
  Entries: z.array(z.object({ EventId: z.string().optional(), ErrorCode: z.string().optional() })),
});

const BUS = { Type: 'AWS::Events::EventBus', Properties: { Name: 'runs' } };
const rule = (queue: string, EventPattern: object, more: object = {}) => ({
  Type: 'AWS::Events::Rule',
  Properties: {
    EventBusName: { Ref: 'Bus' },
    EventPattern,
    Targets: [{ Id: 'queue', Arn: `arn:aws:sqs:us-east-1:000000000000:${queue}` }],
    ...more,
  },
});

const entry = (changes: object = {}) => ({
  EventBusName: 'runs',
  Source: 'rundown',
  DetailType: 'RUN_START',
  Detail: '{"n":1}',
  Time: 1_793_613_600,
  ...changes,
});

/** Serves the fixture with an event bus and these rules. Returns functions that publish events and read messages. */
async function bus(name: string, rules: Readonly<Record<string, object>>, refuseEvents?: () => 'callFails') {
  const names = { tableName: name, bucketName: name, queuePrefix: `${name}-` };
  const { engines } = running();
  const assembly = await withResources({ Bus: BUS, ...rules });
  const service = await startService({ assembly, engines, ...names, ...(refuseEvents && { refuseEvents }) });
  onTestFinished(service.close);
  const call = (operation: string, input: object) =>
    fetch(`${service.environment.AWS_ENDPOINT_URL_EVENTBRIDGE}`, {
      method: 'POST',
      headers: { 'x-amz-target': `AWSEvents.${operation}` },
      body: JSON.stringify(input),
    });
  const put = async (...Entries: readonly object[]) => {
    const response = await call('PutEvents', { Entries });
    expect(response.status).toBe(200);
    return Answer.parse(await response.json());
  };
  return { call, put, ...messagesOf(service.environment, names) };
}

describe('an event', () => {
  test('An event that matches a rule reaches the queue of the rule in the format of EventBridge', async () => {
    const { put, noted } = await bus('matching', { Rule: rule('matching-fixture-work', { source: ['rundown'] }) });
    const { FailedEntryCount, Entries } = await put(entry());
    expect(FailedEntryCount).toBe(0);
    const id = Entries[0]?.EventId ?? '';
    await expect.poll(() => noted(id)).toBeDefined();
    expect(JSON.parse((await noted(id))?.record.body ?? '')).toEqual({
      version: '0',
      id,
      'detail-type': 'RUN_START',
      source: 'rundown',
      account: '000000000000',
      time: '2026-11-02T10:00:00Z',
      region: 'us-east-1',
      resources: [],
      detail: { n: 1 },
    });
  });

  test('An event that matches no enabled rule is acknowledged and dropped', async () => {
    const { put, noted } = await bus('unmatched', {
      Rule: rule('unmatched-fixture-work', { source: ['rundown'], 'detail-type': ['RUN_START', 'RUN_FINISH'] }),
      Disabled: rule('unmatched-fixture-work', { source: ['elsewhere'] }, { State: 'DISABLED' }),
    });
    const others = [entry({ DetailType: 'RUN' }), entry({ Source: 'elsewhere' })];
    const { FailedEntryCount, Entries } = await put(...others, entry({ DetailType: 'RUN_FINISH' }));
    expect(FailedEntryCount).toBe(0);
    await expect.poll(() => noted(Entries[2]?.EventId ?? '')).toBeDefined();
    for (const { EventId = '' } of Entries.slice(0, 2)) expect(await noted(EventId)).toBeUndefined();
  });

  test('If an event cannot be sent to a queue, only that event fails', async () => {
    const { put } = await bus('gone-queue', { Rule: rule('no-such-queue', { 'detail-type': ['RUN_START'] }) });
    const answer = await put(entry(), entry({ DetailType: 'RUN_FINISH' }));
    expect(answer).toMatchObject({ FailedEntryCount: 1, Entries: [{ ErrorCode: 'InternalFailure' }, {}] });
    expect(answer.Entries[1]?.EventId).toBeDefined();
  });

  test('If the bus of an event is unknown, only that event fails', async () => {
    const { put } = await bus('other-bus', {});
    const answer = await put(entry({ EventBusName: 'default' }), entry());
    expect(answer).toMatchObject({ FailedEntryCount: 1, Entries: [{ ErrorCode: 'ResourceNotFoundException' }, {}] });
  });

  test('A whole PutEvents call fails if a test tells the event bus to fail calls', async () => {
    const { call } = await bus('failing', {}, () => 'callFails');
    expect((await call('PutEvents', { Entries: [entry()] })).status).toBe(500);
  });
});

test('a call to the event bus is refused if it has no entries, too many entries or an oversized entry, or names an unknown operation', async () => {
  const { call } = await bus('limits', {});
  const large = entry({ Detail: JSON.stringify('x'.repeat(256 * 1024)) });
  for (const Entries of [[], Array.from({ length: 11 }, () => entry()), [large]]) {
    expect((await call('PutEvents', { Entries })).status).toBe(400);
  }
  expect((await call('ListRules', {})).status).toBe(400);
});
