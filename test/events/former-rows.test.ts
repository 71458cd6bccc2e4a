/** §6 Events that an earlier version wrote or published still reach their receivers. */
import { describe, expect, test } from 'vitest';
import { pack } from '#shared/engine/table/packed.ts';
import { relay } from '#shared/events/relay.ts';
import { outbox } from '#shared/model/outbox.ts';
import { contentOf } from '#shared/model/outbox-content.ts';
import { RUN_EVENTS, type RunEventName } from '#shared/model/run-event.ts';
import { webhookBody } from '#shared/webhooks/body.ts';
import { FanOutMessage } from '#shared/webhooks/message-wire.ts';
import { ownDestinations } from '#test/harness/destinations.ts';
import { deliveryRow, rowsLeft, runEvent } from './rows.ts';

const { commit } = runEvent('run-1');
const COUNTERS = { overall: 3, passes: 1, failures: 1, pending: 1, skipped: 0, retries: 2, flaky: 1 };

/** The format of the earlier version. `groupId` is present for runs with several groups only. */
const formerEvent = (event: RunEventName, groupId?: string) => ({
  organizationId: 'org-1',
  projectId: 'project-1',
  runId: 'run-1',
  runCreatedAt: 1,
  group: groupId ?? 'default',
  occurredAt: 2,
  payload: {
    event,
    runUrl: 'https://rundown.example/v1/runs/run-1',
    buildId: 'build-1',
    ...(groupId === undefined ? {} : { groupId }),
    tags: ['smoke'],
    commit,
    ...COUNTERS,
  },
});

describe('an event of an earlier version', () => {
  test.each(RUN_EVENTS.flatMap((event) => [[event, undefined] as const, [event, 'firefox'] as const]))(
    'published as %s with the group %s gets the same webhook body',
    (name, groupId) => {
      const former = formerEvent(name, groupId);
      expect(webhookBody('https://rundown.example', FanOutMessage.parse(former))).toEqual({
        ...former.payload,
        runUrl: 'https://rundown.example/org-1/project-1/runs/run-1',
      });
    },
  );

  test('is relayed from its outbox row as a domain event', async () => {
    const { services, events } = await ownDestinations();
    const short = ['chromium', 'firefox'].map((groupId) => {
      const event = formerEvent('RUN_FINISH', groupId);
      return { ...event, payload: { ...event.payload, commit: 0 } };
    });
    const content = contentOf(pack({ kind: 'short', commits: [commit], events: short }));
    const row = { ...deliveryRow('unused'), content };
    await services.table.put(outbox, row);
    await relay(services, row);
    expect((await events()).map(({ detail }) => detail)).toMatchObject(
      ['chromium', 'firefox'].map((groupId) => ({ type: 'RunEnded', ending: 'finish', groupId, commit })),
    );
    expect(await rowsLeft(services.table)).toEqual([]);
  });

  test('is relayed from its outbox row as a delivery job', async () => {
    const { services, jobs } = await ownDestinations();
    const order = { organizationId: 'org-1', hookId: 'hook-1', deliveryId: 'msg-1', attempt: 0 };
    const row = { ...deliveryRow('msg-1'), content: contentOf(pack({ kind: 'delivery', order })) };
    await services.table.put(outbox, row);
    await relay(services, row);
    expect(await jobs()).toEqual([order]);
  });
});
