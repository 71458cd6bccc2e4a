import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type LocalService, startService } from '#infra/local/service.ts';
import { withResource, withResources } from './changed-assembly.ts';
import { localService } from './local-service.ts';
import { messagesOf } from './messages.ts';

const running = localService();

/** Not a whole second, so that the tests show that functions get the scheduled time without milliseconds. */
const START = Date.parse('2026-11-02T10:00:30.500Z');
const MINUTE = 60_000;

/** A schedule whose function records its input. */
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
        // The fixture's function needs these properties.
        messageId: id,
        attributes: {},
        eventSourceARN: 'none',
        body: JSON.stringify({ id, ...order }),
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
  /** Returns how many times the schedule ran, and the scheduled time of its last run. */
  readonly noted: () => Promise<readonly [number, unknown] | undefined>;
  readonly notedFor: (id: string) => Promise<readonly [number, unknown] | undefined>;
  readonly lastInput: () => Promise<object | undefined>;
}

/** Starts a service with its own table and a fake clock at 10:00:30. */
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
  const lastInput = async () => (await noted('tick'))?.record;
  return { service, faults, noted: () => notedFor('tick'), notedFor, lastInput };
}

describe('a schedule', () => {
  test('runs its function at the scheduled time, with the input that the template defines', async () => {
    const { noted, lastInput } = await serve(await withResource('Tick', ticking()));
    await expect.poll(noted).toEqual([1, '2026-11-02T10:00:30Z']);
    vi.setSystemTime(START + MINUTE);
    await expect.poll(noted).toEqual([2, '2026-11-02T10:01:30Z']);
    expect(await lastInput()).toMatchObject({
      schedule: 'arn:aws:scheduler:us-east-1:000000000000:schedule/fixture/fixture-tick',
      execution: expect.stringMatching(/^[0-9a-f-]{36}$/),
      attempt: '1',
      unknown: '<aws.scheduler.mood>',
    });
  });

  test('runs only once to make up for missed runs, and then keeps its interval', async () => {
    const { noted } = await serve(await withResource('Tick', ticking()));
    await expect.poll(noted).toEqual([1, '2026-11-02T10:00:30Z']);
    vi.setSystemTime(START + 600 * MINUTE);
    await expect.poll(noted).toEqual([2, '2026-11-02T10:01:30Z']);
    vi.setSystemTime(START + 601 * MINUTE);
    await expect.poll(noted).toEqual([3, '2026-11-02T20:01:30Z']);
  });

  test('runs at its own time, even if other schedules are due at other times', async () => {
    const nightly = ticking(
      { Name: 'fixture-night', ScheduleExpression: 'cron(0 3 * * ? *)' },
      { Input: orders('night') },
    );
    const { noted, notedFor } = await serve(await withResources({ Tick: ticking(), Night: nightly }));
    await expect.poll(noted).toEqual([1, '2026-11-02T10:00:30Z']);
    expect(await notedFor('night')).toBeUndefined();
    vi.setSystemTime('2026-11-03T03:00:00.000Z');
    await expect.poll(() => notedFor('night')).toEqual([1, '2026-11-03T03:00:00Z']);
  });

  test('does not run if it is disabled, or if the service runs without schedules', async () => {
    const off = ticking({ Name: 'fixture-off', State: 'DISABLED' }, { Input: orders('off') });
    const service = await serve(await withResources({ Tick: ticking(), Off: off }));
    await expect.poll(service.noted).toEqual([1, '2026-11-02T10:00:30Z']);
    expect(await service.notedFor('off')).toBeUndefined();
    const other = await serve(await withResource('Tick', ticking()), { schedules: false });
    vi.setSystemTime(START + MINUTE);
    await expect.poll(service.noted).toEqual([2, '2026-11-02T10:01:30Z']);
    expect(await other.noted()).toBeUndefined();
  });

  test('runs again after its function failed, and the error is logged', async () => {
    const failing = ticking({}, { Input: orders('fail', { throwsOnce: 'out of order' }) });
    const { notedFor, faults } = await serve(await withResource('Tick', failing));
    await expect.poll(() => faults).toEqual([expect.stringContaining('fixture-work: Error: out of order')]);
    vi.setSystemTime(START + MINUTE);
    await expect.poll(() => notedFor('fail')).toEqual([1, '2026-11-02T10:01:30Z']);
  });
});

describe('a manual run', () => {
  test('returns the result of the function, even if the service runs without schedules', async () => {
    const { service, noted } = await serve(await withResource('Tick', ticking()), { schedules: false });
    expect(await service.runSchedule('fixture-tick')).toEqual({ batchItemFailures: [] });
    expect(await noted()).toEqual([1, '2026-11-02T10:00:30Z']);
  });

  test('throws the error of the function', async () => {
    const failing = ticking({}, { Input: orders('fail', { throwsOnce: 'out of order' }) });
    const { service } = await serve(await withResource('Tick', failing), { schedules: false });
    await expect(service.runSchedule('fixture-tick')).rejects.toThrow('fixture-work: Error: out of order');
  });

  test('A manual run of an unknown schedule is refused, and the error lists the known schedules', async () => {
    const { service } = await serve(await withResource('Tick', ticking()), { schedules: false });
    const refused = 'The template has no schedule tick. It has: fixture-tick';
    await expect(service.runSchedule('tick')).rejects.toThrow(refused);
  });
});

describe('an unsupported schedule', () => {
  const UNSUPPORTED = 'The local runner does not support the schedule Extra';

  test.each([
    ['in a time zone', { ScheduleExpressionTimezone: 'Europe/Berlin' }, UNSUPPORTED],
    ['with a flexible window', { FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 5 } }, UNSUPPORTED],
    ['with a start date', { StartDate: '2027-01-01T00:00:00Z' }, UNSUPPORTED],
    [
      'at one time',
      { ScheduleExpression: 'at(2027-01-01T00:00:00)' },
      'at(2027-01-01T00:00:00) is not a recurring schedule',
    ],
  ])('A schedule %s is refused, and the error names the schedule or its expression', async (_, more, message) => {
    await expect(serve(await withResource('Extra', ticking(more)))).rejects.toThrow(message);
  });

  test.each([
    ['with dead letters', { DeadLetterConfig: { Arn: 'arn:aws:sqs:us-east-1:000000000000:q' } }, UNSUPPORTED],
    ['without an input', { Input: undefined }, UNSUPPORTED],
    ['for an event bus', { EventBridgeParameters: { DetailType: 'x', Source: 'y' } }, UNSUPPORTED],
    ['without a function as target', { Arn: 'arn:aws:sqs:us-east-1:000000000000:q' }, 'which no stack defines'],
  ])('A schedule %s is refused, and the error says what is unsupported or missing', async (_, target, message) => {
    await expect(serve(await withResource('Extra', ticking({}, target)))).rejects.toThrow(message);
  });
});
