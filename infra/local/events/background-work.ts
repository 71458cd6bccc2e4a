/** What runs beside the requests: queues, new rows of the table, and schedules. */
import { CLOSE_GRACE_MILLISECONDS } from '#infra/local/host/loopback.ts';
import type { Activity } from '#infra/local/lambda/activity.ts';
import type { FunctionOutput } from '#infra/local/lambda/function-runtime.ts';
import { type EventSource, pollEventSource } from './event-sources.ts';
import { bringNewRows } from './new-rows.ts';
import { pause } from './poll.ts';
import { keepTime, type LocalSchedule } from './schedules.ts';
import type { TableStream } from './table-stream.ts';

interface BackgroundWork {
  readonly sources: readonly EventSource[];
  readonly streams: readonly TableStream[];
  readonly schedules: readonly LocalSchedule[];
}

/** Returns a function that stops the work and waits at most two seconds. Unfinished work is repeated after the next start. */
export function runBackgroundWork(
  { sources, streams, schedules }: BackgroundWork,
  activity: Activity,
  output: FunctionOutput,
): () => Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const work = Promise.all([
    ...sources.map((source) => pollEventSource(source, signal, output)),
    ...streams.map((stream) => bringNewRows(stream, activity, signal, output)),
    keepTime(schedules, signal, output),
  ]);
  return async () => {
    controller.abort();
    const grace = new AbortController();
    await Promise.race([work, pause(CLOSE_GRACE_MILLISECONDS, grace.signal)]);
    grace.abort();
  };
}
