import { expect, test } from '@playwright/test';

test('comes before the gate', () => {
  expect(1 + 1).toBe(2);
});

/** The server at this address answers when the test may continue. */
test('waits at the gate', async () => {
  const answer = await fetch(String(process.env.GATE_URL));
  expect(answer.status).toBe(200);
});
