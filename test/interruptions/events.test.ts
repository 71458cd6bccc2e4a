/**
 * Interrupts the relay of events, the fan-out of an event and the compilation of an ended run between their writes, and
 * then repeats the interrupted work.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { compileEndedRun } from '#shared/analytics/sweep-analytics.ts';
import { relayOrRetryLater } from '#shared/events/relay.ts';
import { outbox } from '#shared/model/events/outbox.ts';
import { runs } from '#shared/model/runs/run.ts';
import { fanOutNotifications } from '#shared/notifications/fan-out-notifications.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { connectSecrets } from '#shared/platform/connect.ts';
import { fanOutWebhooks } from '#shared/webhooks/fan-out.ts';
import { deliveryRow, eventsRow, runEvent as storedEvent } from '#test/events/rows.ts';
import { ownDestinations } from '#test/harness/destinations.ts';
import { interruptions } from '#test/harness/interruptions.ts';
import { recordRun } from '#test/harness/recording.ts';
import { failed, passed } from '#test/harness/recording-messages.ts';
import { clock, FAR_FUTURE, service } from '#test/harness/service.ts';
import { hostSettings } from '#test/notifications/stage.ts';
import { runEvent, stage } from '#test/webhooks/stage.ts';
import { queuedJobs } from './queued-jobs.ts';

beforeEach(() => clock.set(FAR_FUTURE));

const isDueWork = (line: string): boolean => line.includes('"pk":{"S":"DUE#analytics');

/** Hides when a merge or a check is due, because a repeated compilation may schedule it for a later time. */
const withoutDueTime = (line: string): string =>
  isDueWork(line)
    ? line.replace(/"dueAt":\{"N":"\d+"\}/, '"dueAt":"differs"').replace(/"sk":\{"S":"[0-9a-v]{9}#/, '"sk":{"S":"time#')
    : line;

describe('A fan-out that is interrupted between its writes', () => {
  test('An interrupted fan-out leaves the same data as an uninterrupted one once its event is delivered again', async () => {
    const here = await stage();
    for (let one = 0; one < 3; one += 1) await here.webhook();
    const { organizationId, projectId, environment } = here;
    const request = { organizationId, projectId, actor: OPERATOR };
    const keeping = { ...here.services, secrets: connectSecrets(environment)() };
    await saveNotification(keeping, { ...request, settings: hostSettings('github', 'http://127.0.0.1:8080/api/v3') });
    const webhooks = queuedJobs();
    const notifications = queuedJobs();
    const event = runEvent(here);
    const found = await interruptions({
      environment,
      services: { ...here.services, queue: webhooks.queue, notifications: notifications.queue },
      handle: async (services) => {
        await fanOutWebhooks(event, services);
        await fanOutNotifications(event, { ...services, queue: services.notifications });
      },
      outside: {
        seen: () => [...webhooks.listed(), ...notifications.listed()],
        forget: () => {
          webhooks.forget();
          notifications.forget();
        },
      },
      sample: 4,
    });
    expect(found).toMatchObject({ writes: 8, differing: [] });
  });
});

describe('A relay that is interrupted between its writes', () => {
  const event = (group: string) => storedEvent('run-1', 'RunEnded', group);

  test.each([
    ['events', 4, () => eventsRow(event('a'), event('b'), event('c'))],
    ['a delivery', 2, () => deliveryRow('msg-1')],
    // After the second refusal, the relay moves the refused event to a row of its own.
    ['events of which the bus refuses one', 5, () => eventsRow(event('a'), event('refused'), event('c'))],
  ] as const)(
    'An interrupted relay of %s leaves the same data as an uninterrupted one once its row is delivered again',
    async (_, writes, make) => {
      const here = await service();
      const { services: destinations, events, jobs, refuseEvents } = await ownDestinations();
      clock.set(FAR_FUTURE);
      refuseEvents(({ Detail }) => (Detail.includes('refused') ? 'entryRefused' : undefined));
      const { bus, queue, notifications } = destinations;
      const services = { ...here.services, bus, queue, notifications };
      const row = make();
      await services.table.put(outbox, row);
      const sent: string[] = [];
      const found = await interruptions({
        environment: here.environment,
        services,
        handle: (on) => relayOrRetryLater(on, row),
        outside: {
          seen: async () => {
            sent.push(...(await events()).map(({ detail }) => `event ${JSON.stringify(detail)}`));
            sent.push(...(await jobs()).map((job) => `job ${JSON.stringify(job)}`));
            return sent;
          },
          forget: () => {
            sent.length = 0;
          },
        },
      });
      expect(found).toMatchObject({ writes, differing: [] });
    },
  );
});

describe('A compilation of an ended run that is interrupted between its writes', () => {
  test.each([
    ['complete', 0],
    ['complete', 10],
    ['cancelled', 0],
    ['cancelled', 10],
  ] as const)(
    'An interrupted compilation of a %s run leaves the same data as an uninterrupted one if the end of the run is reported again %i minutes later',
    async (how, minutes) => {
      const here = await service();
      const { services, organizationId, projectId } = here;
      const tests = { 'a.spec.ts > a': failed(), 'b.spec.ts > b': how === 'complete' ? passed() : undefined };
      const { runId } = await recordRun(here, { retail: { tests } });
      if (how === 'cancelled') expect((await here.api.put(`/runs/${runId}/cancel`)).status).toBe(200);
      const run = await services.table.get(runs, { organizationId, runId }, { consistent: true });
      const { createdAt: runCreatedAt = 0, endedAt: occurredAt = 0 } = run ?? {};
      const ended = { organizationId, projectId, runId, runCreatedAt, occurredAt };
      const found = await interruptions({
        environment: here.environment,
        services,
        handle: (on) => compileEndedRun(on, ended),
        againAfter: minutes * 60_000,
        normal: withoutDueTime,
        // If the interrupted compilation has scheduled a merge or checks, the repeated one schedules them again later.
        mayRepeat: isDueWork,
      });
      // For a cancelled run, the compilation also schedules three checks for late results.
      const writes = how === 'cancelled' ? 24 : 21;
      expect(found).toMatchObject({ writes, differing: [], repeated: [] });
    },
  );
});
