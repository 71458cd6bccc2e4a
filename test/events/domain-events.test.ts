/** §6 The domain events of a run in the outbox. */
import { describe, expect, test } from 'vitest';
import { DomainEvent } from '#shared/model/events/domain-event.ts';
import { packContent, unpackContent } from '#shared/model/events/outbox-content.ts';
import { recordRun } from '#test/harness/recording.ts';
import { passed } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';
import { rowsLeft, runEvent } from './rows.ts';

describe('the outbox', () => {
  test('gets one versioned event for each start of a group, each end of a group and the deletion of the run, in this order', async () => {
    const stage = await service();
    const { runId } = await recordRun(stage, {
      retail: { tests: { 'cart.spec.ts > sums': passed() } },
      wholesale: { tests: { 'cart.spec.ts > sums': passed() } },
    });
    await Promise.all([1, 2].map(() => stage.api.send('DELETE', `/runs/${runId}`)));
    const rows = (await rowsLeft(stage.services.table)).toSorted((one, other) => one.at - other.at);
    const events = rows
      .flatMap(({ content }) => (content.kind === 'events' ? content.events : []))
      .filter((event) => event.runId === runId);
    for (const event of events) expect(DomainEvent.parse(event)).toEqual(event);
    expect(events.map((event) => [event.type, 'groupId' in event && event.groupId])).toEqual([
      ['RunStarted', 'retail'],
      ['RunStarted', 'wholesale'],
      ['RunEnded', 'retail'],
      ['RunEnded', 'wholesale'],
      ['RunDeleted', false],
    ]);
  });

  test('The content of an outbox row with events of every type and different commits is unchanged after packing and unpacking', () => {
    const { type: _, ...facts } = runEvent('run-1');
    const { version, organizationId, projectId, runId, runCreatedAt, occurredAt } = facts;
    const identity = { version, organizationId, projectId, runId, runCreatedAt, occurredAt };
    const other = { ...facts.commit, sha: 'abc' };
    const events: DomainEvent[] = [
      { type: 'RunStarted', ...facts },
      { type: 'RunDeleted', ...identity },
      { type: 'RunEnded', ending: 'cancel', ...facts, commit: other },
      { type: 'RunEnded', ending: 'timeOut', ...facts },
    ];
    expect(unpackContent(packContent({ kind: 'events', events }))).toEqual({ kind: 'events', events });
  });
});
