/**
 * The clock of a client, which loads this module first (`--import`). It stands still until the client pauses, which takes
 * no time, or until the test sends SIGUSR2. So time limits end at known moments, however slow the machine is.
 */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

/** How far SIGUSR2 moves the clock, in milliseconds. */
const STEP = Number(process.env['CLOCK_STEP'] ?? 60_000);

let time = 0;
const limits = new Set<{ readonly at: number; readonly controller: AbortController }>();

function advance(milliseconds: number): void {
  time += milliseconds;
  for (const limit of limits) {
    if (limit.at > time) continue;
    limits.delete(limit);
    limit.controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }
}

AbortSignal.timeout = (milliseconds) => {
  const controller = new AbortController();
  limits.add({ at: time + milliseconds, controller });
  return controller.signal;
};

const { setTimeout: wait } = timers;
Object.assign(timers, {
  setTimeout(milliseconds: number, ...more: [value?: unknown, options?: object]) {
    advance(milliseconds);
    return wait(0, ...more);
  },
});
syncBuiltinESMExports();

const readClock = performance.now.bind(performance);
performance.now = () => readClock() + time;

process.on('SIGUSR2', () => advance(STEP));
