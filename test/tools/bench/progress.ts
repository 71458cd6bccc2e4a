/** What the bench is doing, on standard error: standard output is the table. */
import { styleText } from 'node:util';

const stream = process.stderr;
const quiet = (text: string): string => styleText('dim', text, { stream });
let isPassing = false;

/** A `passing` line is replaced by the next one on a terminal, and left out elsewhere. */
export function note(line: string, kind: 'lasting' | 'passing' = 'lasting'): void {
  if (kind === 'passing' && !stream.isTTY) return;
  stream.write(`${isPassing ? '\r\u001b[2K' : ''}${quiet(line)}${kind === 'passing' ? '' : '\n'}`);
  isPassing = kind === 'passing';
}

/** Runs a step, saying what it is before it begins and how long it took. */
export async function step<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  note(`... ${name}`);
  const started = performance.now();
  const result = await run();
  note(` ok ${name} ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return result;
}
