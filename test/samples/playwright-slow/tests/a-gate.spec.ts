import { expect, test } from '@playwright/test';

test('comes before the gate', () => {
  expect(1 + 1).toBe(2);
});

/** Whoever listens there answers when this test may go on. */
test('waits at the gate', async () => {
  const answer = await fetch(String(process.env.GATE_URL));
  expect(answer.status).toBe(200);
});
