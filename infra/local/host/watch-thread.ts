/** Runs beside the thread of the service. It can kill the process even while that thread never returns. */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { BlockWatch } from './end-when-blocked.ts';

const { beats, seconds }: BlockWatch = workerData;
const STANDARD_ERROR = 2;
/** One of them may pass while the computer wakes up. */
const WAITS = 2;

const isBlocked = (): boolean =>
  Atomics.wait(beats, 0, Atomics.load(beats, 0), (seconds * 1000) / WAITS) === 'timed-out';

for (let blocked = 0; blocked < WAITS; ) blocked = isBlocked() ? blocked + 1 : 0;
writeSync(
  STANDARD_ERROR,
  `A function has kept the service busy for ${seconds} seconds, so the service ends. Start it again. A message from a queue has used ` +
    'one of its attempts, and becomes a dead letter after the last one.\n',
);
process.kill(process.pid, 'SIGKILL');
