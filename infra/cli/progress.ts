import type { Terminal } from './terminal.ts';

/** The minimum time between two progress messages. */
const MILLISECONDS = 2000;

/**
 * Returns a function that shows the progress at most once every two seconds. Uses standard error, because a script may
 * read standard output.
 */
export function everyTwoSeconds<Progress>(
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
