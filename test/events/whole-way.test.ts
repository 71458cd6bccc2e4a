import { expect, test } from 'vitest';
import { outbox } from '#shared/model/events/outbox.ts';
import { clock, deliverEvents, logLines, refuseEvents, service } from '#test/harness/service.ts';
import { retryRows } from './own-service.ts';
import { deliveryRow, eventsRow, rowsLeft, runEvent } from './rows.ts';

deliverEvents();

test('the table stream alone triggers the relay of a new outbox row, without a request or a schedule', async () => {
  const { services } = await service();
  for (const row of [eventsRow(runEvent('run-1')), deliveryRow('msg-1')]) await services.table.put(outbox, row);
  await expect.poll(() => rowsLeft(services.table)).toEqual([]);
  const lines = logLines.filter((line) => line.includes('record handled'));
  for (const id of ['"runId":"run-1"', '"deliveryId":"msg-1"']) expect(lines.join()).toContain(id);
});

test('a refused event is logged, and retried until the event bus accepts it', async () => {
  const { services, runSchedule } = await service();
  let down = true;
  refuseEvents(({ Detail }) => (down && Detail.includes('run-2') ? 'entryRefused' : undefined));
  await services.table.put(outbox, eventsRow(runEvent('run-2')));
  await expect.poll(() => rowsLeft(services.table)).toEqual([]);
  await expect.poll(() => logLines.join()).toContain('refused 1 of 1 events: ThrottlingException');
  expect(await retryRows(services.table)).toHaveLength(1);
  clock.advance(3 * 60 * 1000);
  // The delay is not exact, because polling for the log line has already taken some time.
  const lateSeconds = expect.toSatisfy((seconds: number) => seconds >= 120);
  expect(await runSchedule('resendOutbox')).toMatchObject({ resent: 0, failed: 1, lateSeconds });
  down = false;
  clock.advance(5 * 60 * 1000 + 1000);
  expect(await runSchedule('resendOutbox')).toMatchObject({ resent: 1, failed: 0 });
  expect([await retryRows(services.table), await rowsLeft(services.table)]).toEqual([[], []]);
});
