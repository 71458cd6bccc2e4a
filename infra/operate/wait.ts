/** Polls AWS until a condition is true. */
import { setTimeout as wait } from 'node:timers/promises';
import { printLine, quiet } from '#infra/cli/terminal/terminal.ts';

const FIRST_MILLISECONDS = 1000;
const LONGEST_MILLISECONDS = 15_000;
const SHOWN_MILLISECONDS = 60_000;

/** Waits without a time limit, and prints every minute what it is waiting for. */
export async function waitUntilTrue(isTrue: () => Promise<boolean>, what = 'AWS'): Promise<void> {
  const startTime = performance.now();
  let lastShown = startTime;
  for (let pause = FIRST_MILLISECONDS; !(await isTrue()); pause = Math.min(pause * 2, LONGEST_MILLISECONDS)) {
    await wait(pause);
    const now = performance.now();
    if (now - lastShown < SHOWN_MILLISECONDS) continue;
    lastShown = now;
    printLine(quiet(`    waiting for ${what}: ${Math.round((now - startTime) / 60_000)} min`));
  }
}
