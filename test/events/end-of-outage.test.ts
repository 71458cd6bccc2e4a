import { expect, test, vi } from 'vitest';
import { EVENT_LIMITS } from '#shared/events/limits.ts';
import { relayOrRetryLater } from '#shared/events/relay.ts';
import { resendOutbox } from '#shared/events/resend.ts';
import { outbox } from '#shared/model/events/outbox.ts';
import { ownDestinations } from '#test/harness/destinations.ts';
import { eventsRow, rowsLeft, runEvent } from './rows.ts';

const UNBOUNDED = { remainingMilliseconds: () => Number.POSITIVE_INFINITY };

test.each(['relay', 'sweep'])(
  'If an outage of the event bus ends after an event was refused and before the %s probes the bus, the event is published without delay',
  async (by) => {
    const { services, events, refuseEvents } = await ownDestinations();
    const row = eventsRow(runEvent('run-1'));
    await services.table.put(outbox, row);
    vi.setSystemTime(Date.now() + EVENT_LIMITS.resendAfterMilliseconds + 1000);
    let isUp = false;
    refuseEvents(({ DetailType }) => {
      isUp ||= DetailType === 'PROBE';
      return isUp ? undefined : 'entryRefused';
    });
    if (by === 'relay') await relayOrRetryLater(services, row);
    else expect(await resendOutbox(services, UNBOUNDED)).toMatchObject({ resent: 1, failed: 0 });
    expect((await events()).map((one) => one['detail-type'])).toContain('RunStarted');
    expect(await rowsLeft(services.table)).toEqual([]);
  },
);
