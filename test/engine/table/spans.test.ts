import { expect, test } from 'vitest';
import { dueDeletions, dueDeliveries, dueRuns } from '#shared/model/due.ts';
import { outboxSpan } from '#shared/model/events/outbox.ts';

test('a span of time never begins with an empty key, which DynamoDB refuses and the embedded engine does not', () => {
  const spans = [outboxSpan, dueRuns.span, dueDeliveries.span, dueDeletions.span].map((span) => span(0, Date.now()));
  for (const { pk, from, to } of spans) {
    expect(from, pk).not.toBe('');
    expect(from < to, pk).toBe(true);
  }
});
