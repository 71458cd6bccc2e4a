/** Prints progress to standard error, because tables go to standard output. */
import { styleText } from 'node:util';

const stream = process.stderr;
const quiet = (text: string): string => styleText('dim', text, { stream });
let isTransient = false;

/** Prints a line. On a terminal, the next line replaces a `transient` line. Elsewhere, transient lines are omitted. */
export function note(line: string, kind: 'permanent' | 'transient' = 'permanent'): void {
  if (kind === 'transient' && !stream.isTTY) return;
  stream.write(`${isTransient ? '\r\u001b[2K' : ''}${quiet(line)}${kind === 'transient' ? '' : '\n'}`);
  isTransient = kind === 'transient';
}

/** Runs a step, and prints its name and duration. */
export async function step<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  note(`... ${name}`);
  const started = performance.now();
  const result = await run();
  note(` ok ${name} ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return result;
}
