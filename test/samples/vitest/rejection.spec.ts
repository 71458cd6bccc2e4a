import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';

test('forgets a promise', async () => {
  void Promise.reject(new Error('nobody caught this'));
  await pause(20);
});
