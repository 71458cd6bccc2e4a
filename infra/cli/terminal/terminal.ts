/** Output to the terminal. Colors appear only if the terminal supports them. */
import { styleText } from 'node:util';
import { makeVisible } from '#shared/engine/plain-text.ts';
import { UsageError } from './usage-error.ts';

export interface Terminal {
  readonly output: NodeJS.WritableStream;
  readonly errors: NodeJS.WritableStream;
  /** Absent if nobody can answer a question. */
  readonly input?: NodeJS.ReadableStream;
}

export const TERMINAL: Terminal = {
  output: process.stdout,
  errors: process.stderr,
  ...(process.stdin.isTTY ? { input: process.stdin } : {}),
};

/** `styleText` respects NO_COLOR and omits colors outside a terminal. */
const makeStyle =
  (style: 'bold' | 'dim' | 'green' | 'red' | 'yellow') =>
  (text: string, { output: stream }: Pick<Terminal, 'output'> = TERMINAL): string =>
    styleText(style, text, { stream });

export const strong = makeStyle('bold');
export const quiet = makeStyle('dim');
export const good = makeStyle('green');
export const changed = makeStyle('yellow');
export const bad = makeStyle('red');

export function printLine(line: string, { output } = TERMINAL): void {
  output.write(`${line}\n`);
}

/** The message may contain names from people or answers from elsewhere, so invisible characters are spelled out. */
export function printError(message: string, { errors } = TERMINAL): void {
  errors.write(`${bad('Error:', { output: errors })} ${makeVisible(message)}\n`);
}

export async function step<T>(name: string, run: () => Promise<T>): Promise<T> {
  const startTime = performance.now();
  printLine(`${quiet('...')} ${name}`);
  const result = await run();
  const seconds = ((performance.now() - startTime) / 1000).toFixed(1);
  printLine(`${good(' ok')} ${name} ${quiet(`${seconds} s`)}`);
  return result;
}

/**
 * Runs a program. After a mistake on the command line, prints the mistake and the usage, and sets the exit code 2. For
 * any other error, `explain` returns what to print with the exit code 1, or `undefined` if the error is to be thrown.
 */
export async function runProgram(
  usage: string,
  run: () => Promise<void>,
  explain: (error: unknown) => string | undefined = () => undefined,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    const problem = isUsage(error) ? `${error.message}\n\n${usage}` : explain(error);
    if (problem === undefined) throw error;
    printError(problem);
    process.exitCode = isUsage(error) ? 2 : 1;
  }
}

/** The kinds of options, for `parseArgs`. */
export const TEXT = { type: 'string' } as const;
export const FLAG = { type: 'boolean' } as const;

/** Whether the error is a mistake on the command line, which `parseArgs` or the program itself has found. */
export const isUsage = (error: unknown): error is UsageError | (Error & { readonly code: unknown }) =>
  error instanceof UsageError ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
