/** Watchdog thread. It can kill the process even if the main thread is blocked. */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { BlockWatch } from './end-when-blocked.ts';

const { beats, seconds }: BlockWatch = workerData;
const STANDARD_ERROR = 2;
/** Waits without a heartbeat until the main thread counts as blocked. One may pass while the computer sleeps. */
const WAITS = 2;

const isBlocked = (): boolean =>
  Atomics.wait(beats, 0, Atomics.load(beats, 0), (seconds * 1000) / WAITS) === 'timed-out';

let blockedWaits = 0;
while (blockedWaits < WAITS) blockedWaits = isBlocked() ? blockedWaits + 1 : 0;
writeSync(
  STANDARD_ERROR,
  `A function has kept the service busy for ${seconds} seconds, so the service stops. Start it again. If the function was handling a queue message, this counts ` +
    'as a failed attempt. After its last attempt, a message becomes a dead letter.\n',
);
process.kill(process.pid, 'SIGKILL');
