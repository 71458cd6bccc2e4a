import { expect, test } from 'vitest';
import { dueDeletions, dueDeliveries, dueRuns } from '#shared/model/due.ts';
import { getOutboxSpan } from '#shared/model/events/outbox.ts';

test('A query for a time span never begins with an empty sort key, which DynamoDB refuses although the embedded engine accepts it', () => {
  const spans = [getOutboxSpan, dueRuns.span, dueDeliveries.span, dueDeletions.span].map((span) => span(0, Date.now()));
  for (const { pk, from, to } of spans) {
    expect(from, pk).not.toBe('');
    expect(from < to, pk).toBe(true);
  }
});
