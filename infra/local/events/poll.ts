/** Waiting and polling, until a signal aborts. */
import { setTimeout as wait } from 'node:timers/promises';
import type { FunctionOutput } from '#infra/local/lambda/function-runtime.ts';

const OUTAGE_PAUSE_MILLISECONDS = 1000;

/** Resolves after this time, or when the signal aborts. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  wait(milliseconds, undefined, { signal }).catch(() => {});

/** Calls `look` again and again until `signal` aborts. Reports an outage of `source` once, not at every poll. */
export async function poll(
  source: string,
  signal: AbortSignal,
  { onFault }: FunctionOutput,
  look: () => Promise<void>,
): Promise<void> {
  let isReadable = true;
  while (!signal.aborted) {
    try {
      await look();
      isReadable = true;
    } catch (error) {
      if (signal.aborted) break;
      if (isReadable) onFault(`${source} cannot be read: ${error instanceof Error ? error.message : error}`);
      isReadable = false;
      await pause(OUTAGE_PAUSE_MILLISECONDS, signal);
    }
  }
}
