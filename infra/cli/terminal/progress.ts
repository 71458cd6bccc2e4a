import type { Terminal } from './terminal.ts';

/** The minimum time between two progress messages. */
const MILLISECONDS = 2000;

/** The function shows the progress on standard error, because a script may read standard output. */
export function makeProgressReporter<Progress>(
  { errors }: Terminal,
  textOf: (soFar: Progress) => string,
): (soFar: Progress) => void {
  let last = performance.now();
  return (soFar) => {
    if (performance.now() - last < MILLISECONDS) return;
    last = performance.now();
    errors.write(`... ${textOf(soFar)}\n`);
  };
}
