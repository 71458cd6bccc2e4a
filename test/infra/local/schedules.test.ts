import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type LocalService, startService } from '#infra/local/service.ts';
import { withResource, withResources } from './changed-assembly.ts';
import { localService } from './local-service.ts';
import { messagesOf } from './messages.ts';

const running = localService();

/** The runner looks at the clock once a second. */
const WITHIN = { timeout: 10_000, interval: 50 };
const START = Date.parse('2026-11-02T10:00:30.500Z');
const MINUTE = 60_000;

/** A schedule that hands the function an order to note what it was told. */
const ticking = (more: object = {}, target: object = {}) => ({
  Type: 'AWS::Scheduler::Schedule',
  Properties: {
    Name: 'fixture-tick',
    GroupName: 'fixture',
    ScheduleExpression: 'rate(1 minute)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: {
      Arn: 'arn:aws:lambda:us-east-1:000000000000:function:fixture-work',
      RoleArn: 'arn:aws:iam::000000000000:role/tick',
      Input: orders('tick'),
      ...target,
    },
    ...more,
  },
});

const orders = (id: string, order: object = {}) =>
  JSON.stringify({
    Records: [
      {
        // What the fixture's function asks of a message.
        ...{ messageId: id, attributes: {}, eventSourceARN: 'none', body: JSON.stringify({ id, ...order }) },
        time: '<aws.scheduler.scheduled-time>',
        schedule: '<aws.scheduler.schedule-arn>',
        execution: '<aws.scheduler.execution-id>',
        attempt: '<aws.scheduler.attempt-number>',
        unknown: '<aws.scheduler.mood>',
      },
    ],
  });

interface Ticking {
  readonly service: LocalService;
  readonly faults: readonly string[];
  /** How often the function ran for the schedule that ticks, and the time it was told last. */
  readonly noted: () => Promise<readonly [number, unknown] | undefined>;
  readonly notedFor: (id: string) => Promise<readonly [number, unknown] | undefined>;
  /** All that the function was told last. */
  readonly told: () => Promise<object | undefined>;
}

/** With a table of its own, at 10:00:30 by a clock that the test owns. */
async function serve(assembly: string, options: { schedules?: boolean } = {}): Promise<Ticking> {
  vi.useFakeTimers({ toFake: ['Date'], now: START });
  onTestFinished(() => void vi.useRealTimers());
  const own = `ticks-${crypto.randomUUID().slice(0, 8)}`;
  const names = { tableName: own, bucketName: own, queuePrefix: `${own}-` };
  const faults: string[] = [];
  const onFault = (line: string) => void faults.push(line);
  const service = await startService({ assembly, engines: running().engines, onFault, ...names, ...options });
  onTestFinished(service.close);
  const { noted } = messagesOf(service.environment, names);
  const notedFor = async (id: string) => {
    const found = await noted(id);
    return found && ([found.times, found.record.time] as const);
  };
  const told = async () => (await noted('tick'))?.record;
  return { service, faults, noted: () => notedFor('tick'), notedFor, told };
}

describe('a schedule', () => {
  test('runs its function when its time comes, with the input of the template', async () => {
    const { noted, told } = await serve(await withResource('Tick', ticking()));
    await expect.poll(noted, WITHIN).toEqual([1, '2026-11-02T10:00:30Z']);
    vi.setSystemTime(START + MINUTE);
    await expect.poll(noted, WITHIN).toEqual([2, '2026-11-02T10:01:30Z']);
    expect(await told()).toMatchObject({
      schedule: 'arn:aws:scheduler:us-east-1:000000000000:schedule/fixture/fixture-tick',
      execution: expect.stringMatching(/^[0-9a-f-]{36}$/),
      attempt: '1',
      unknown: '<aws.scheduler.mood>',
    });
  });

  test('makes up for times that were missed by one run, and goes on in step', async () => {
    const { noted } = await serve(await withResource('Tick', ticking()));
    await expect.poll(noted, WITHIN).toEqual([1, '2026-11-02T10:00:30Z']);
    vi.setSystemTime(START + 600 * MINUTE);
    await expect.poll(noted, WITHIN).toEqual([2, '2026-11-02T10:01:30Z']);
    vi.setSystemTime(START + 601 * MINUTE);
    await expect.poll(noted, WITHIN).toEqual([3, '2026-11-02T20:01:30Z']);
  });

  test('waits for its time, and not for the other schedules', async () => {
    const nightly = ticking(
      { Name: 'fixture-night', ScheduleExpression: 'cron(0 3 * * ? *)' },
      { Input: orders('night') },
    );
    const { noted, notedFor } = await serve(await withResources({ Tick: ticking(), Night: nightly }));
    await expect.poll(noted, WITHIN).toEqual([1, '2026-11-02T10:00:30Z']);
    expect(await notedFor('night')).toBeUndefined();
    vi.setSystemTime('2026-11-03T03:00:00.000Z');
    await expect.poll(() => notedFor('night'), WITHIN).toEqual([1, '2026-11-03T03:00:00Z']);
  });

  test('that is disabled waits for ever, and so do all where the service is told not to keep time', async () => {
    const off = ticking({ Name: 'fixture-off', State: 'DISABLED' }, { Input: orders('off') });
    const one = await serve(await withResources({ Tick: ticking(), Off: off }));
    await expect.poll(one.noted, WITHIN).toEqual([1, '2026-11-02T10:00:30Z']);
    expect(await one.notedFor('off')).toBeUndefined();
    const other = await serve(await withResource('Tick', ticking()), { schedules: false });
    vi.setSystemTime(START + MINUTE);
    await expect.poll(one.noted, WITHIN).toEqual([2, '2026-11-02T10:01:30Z']);
    expect(await other.noted()).toBeUndefined();
  });

  test('whose function fails says so, and comes again', async () => {
    const failing = ticking({}, { Input: orders('fail', { throwsOnce: 'out of order' }) });
    const { notedFor, faults } = await serve(await withResource('Tick', failing));
    await expect.poll(() => faults, WITHIN).toEqual([expect.stringContaining('fixture-work: Error: out of order')]);
    vi.setSystemTime(START + MINUTE);
    await expect.poll(() => notedFor('fail'), WITHIN).toEqual([1, '2026-11-02T10:01:30Z']);
  });
});

describe('run at once', () => {
  test('a schedule’s function answers, whether the service keeps time or not', async () => {
    const { service, noted } = await serve(await withResource('Tick', ticking()), { schedules: false });
    expect(await service.runSchedule('fixture-tick')).toEqual({ batchItemFailures: [] });
    expect(await noted()).toEqual([1, '2026-11-02T10:00:30Z']);
  });

  test('a function that fails throws what it threw', async () => {
    const failing = ticking({}, { Input: orders('fail', { throwsOnce: 'out of order' }) });
    const { service } = await serve(await withResource('Tick', failing), { schedules: false });
    await expect(service.runSchedule('fixture-tick')).rejects.toThrow('fixture-work: Error: out of order');
  });

  test('a schedule that there is not is refused with those that there are', async () => {
    const { service } = await serve(await withResource('Tick', ticking()), { schedules: false });
    const refused = 'The template has no schedule tick. It has: fixture-tick';
    await expect(service.runSchedule('tick')).rejects.toThrow(refused);
  });
});

describe('a schedule that is not imitated is refused by name', () => {
  const UNIMITATED = 'The local runner does not imitate the schedule Extra';

  test.each([
    ['at a time of one place', { ScheduleExpressionTimezone: 'Europe/Berlin' }, UNIMITATED],
    ['within a window', { FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 5 } }, UNIMITATED],
    ['from a date on', { StartDate: '2027-01-01T00:00:00Z' }, UNIMITATED],
    ['at one time', { ScheduleExpression: 'at(2027-01-01T00:00:00)' }, 'at(2027-01-01T00:00:00) is no schedule'],
  ])('one %s', async (_, more, message) => {
    await expect(serve(await withResource('Extra', ticking(more)))).rejects.toThrow(message);
  });

  test.each([
    ['with dead letters', { DeadLetterConfig: { Arn: 'arn:aws:sqs:us-east-1:000000000000:q' } }, UNIMITATED],
    ['with the platform’s own input', { Input: undefined }, UNIMITATED],
    ['of an event bus', { EventBridgeParameters: { DetailType: 'x', Source: 'y' } }, UNIMITATED],
    ['that leads to no function', { Arn: 'arn:aws:sqs:us-east-1:000000000000:q' }, 'which no stack defines'],
  ])('one %s', async (_, target, message) => {
    await expect(serve(await withResource('Extra', ticking({}, target)))).rejects.toThrow(message);
  });
});
