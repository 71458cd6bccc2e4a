import { expect, test } from 'vitest';
import { outbox } from '#shared/resources/outbox.ts';
import { clock, logLines, refuseEvents, service } from '../harness/service.ts';
import { deliveryRow, eventsRow, rowsLeft, runEvent } from './rows.ts';

const WITHIN = { timeout: 20_000, interval: 50 };

test('what is written to the outbox leaves it by itself, without a request or a schedule', async () => {
  const { services } = await service();
  for (const row of [eventsRow(runEvent('run-1')), deliveryRow('msg-1')]) await services.table.put(outbox, row);
  await expect.poll(() => rowsLeft(services.table), WITHIN).toEqual([]);
  const lines = logLines.filter((line) => line.includes('record handled'));
  for (const id of ['"runId":"run-1"', '"deliveryId":"msg-1"']) expect(lines.join()).toContain(id);
});

test('what the bus refuses stays, is complained of, and leaves when the bus takes it again', async () => {
  const { services, runSchedule } = await service();
  let down = true;
  refuseEvents(({ Detail }) => (down && Detail.includes('run-2') ? 'entryRefused' : undefined));
  await services.table.put(outbox, eventsRow(runEvent('run-2')));
  await expect.poll(() => logLines.join(), WITHIN).toContain('did not take 1 of 1: ThrottlingException');
  expect(await rowsLeft(services.table)).toHaveLength(1);
  clock.advance(3 * 60 * 1000);
  // Waiting for the complaint takes some of the clock's time, too.
  const lateSeconds = expect.toSatisfy((seconds: number) => seconds >= 180);
  expect(await runSchedule('resendOutbox')).toMatchObject({ resent: 0, failed: 1, lateSeconds });
  down = false;
  await runSchedule('resendOutbox');
  expect(await rowsLeft(services.table)).toEqual([]);
});
