/** What the person at the terminal sees. Colours only where there is a terminal that wants them. */
import { styleText } from 'node:util';

/** `styleText` heeds NO_COLOR and whether the stream is a terminal. */
const styled = (style: 'bold' | 'dim' | 'green' | 'red', text: string, stream: NodeJS.WriteStream = process.stdout) =>
  styleText(style, text, { stream });

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function complain(message: string): void {
  process.stderr.write(`${styled('red', 'Error', process.stderr)} ${message}\n`);
}

export const strong = (text: string): string => styled('bold', text);
export const quiet = (text: string): string => styled('dim', text);

/** Runs a step, saying what it is before it begins and how long it took. */
export async function step<T>(name: string, run: () => Promise<T>): Promise<T> {
  const started = performance.now();
  say(`${quiet('...')} ${name}`);
  const result = await run();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(`${styled('green', ' ok')} ${name} ${quiet(`${seconds} s`)}`);
  return result;
}
