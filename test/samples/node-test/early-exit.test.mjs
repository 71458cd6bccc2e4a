/** The process ends with status 0 before its last tests, so Node reports no failure. */
import test from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

test('runs', () => {});
test('has subtests', async (t) => {
  await t.test('exits', async () => {
    await pause(20);
    process.exit(0);
  });
});
test('comes too late', () => {});
