/** Ends the service if a function blocks the main thread, because then not even Ctrl-C works. */
import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';

const BEAT_MILLISECONDS = 500;

export interface BlockWatch {
  /** A counter that increases as long as the main thread is not blocked. */
  readonly beats: Int32Array;
  readonly seconds: number;
}

/** Does nothing under a debugger, which blocks the main thread on purpose. */
export function endWhenBlocked(seconds: number): void {
  if (debuggerUrl() !== undefined) return;
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const beat = () => {
    Atomics.add(beats, 0, 1);
    Atomics.notify(beats, 0);
  };
  setInterval(beat, BEAT_MILLISECONDS).unref();
  new Worker(new URL('./watch-thread.ts', import.meta.url), {
    workerData: { beats, seconds } satisfies BlockWatch,
  }).unref();
}
