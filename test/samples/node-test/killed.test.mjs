/** The process is killed, as when the machine has no memory left. */
import test from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

test('runs', () => {});
test('needs too much memory', async () => {
  await pause(20);
  process.kill(process.pid, 'SIGKILL');
});
