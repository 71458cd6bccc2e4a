/** Errors of Vitest, as the service stores them. */
import { inspect } from 'node:util';
import type { SerializedError } from 'vitest';
import { buildAttemptError } from '#shared/reports/error-texts.ts';
import type { TestError } from './messages.ts';

const FRAME =
  /^ +at (?:(?<method>[^()]+) \()?(?:file:\/\/(?=\/))?(?<file>[^()]+):(?<line>\d{1,9}):(?<column>\d{1,9})\)?$/;

/** The stack frames of an error that are in files of the project. Vitest has parsed them (`stacks`) since 3.2. */
function listFrames({ stacks, stack = '' }: SerializedError) {
  const frames =
    stacks ??
    stack.split('\n').flatMap((text) => {
      const { method = '', file = '', line, column } = FRAME.exec(text)?.groups ?? {};
      return file === '' ? [] : { method, file, line: Number(line), column: Number(column) };
    });
  return frames.filter(({ file }) => !/^node:|[\\/]node_modules[\\/]/.test(file));
}

/** Messages are built like those of imported reports, so that the same error is recognized. */
export function toTestError(error: SerializedError): TestError {
  const { name: type = '', message: rawMessage, stack = '', diff } = error;
  const text = rawMessage === undefined && stack === '' ? formatThrownObject(error) : String(rawMessage ?? '');
  const { message } = buildAttemptError({ message: text, type, stack, spec: '' });
  const frames = listFrames(error);
  const lines = frames.map(({ method, file, line, column }) =>
    method === '' ? `    at ${file}:${line}:${column}` : `    at ${method} (${file}:${line}:${column})`,
  );
  const [first] = frames;
  return {
    message,
    stack: lines.length > 0 ? [message, ...lines].join('\n') : stack,
    snippet: typeof diff === 'string' && diff !== '' ? diff : undefined,
    location: first && { file: first.file, line: first.line, column: first.column },
  };
}

/** What a test threw that is no error, such as `{ code: 42 }`. Vitest adds members of its own. */
function formatThrownObject(error: SerializedError): string {
  const members = Object.entries(error).filter(([name]) => !/^(?:stacks|constructor|VITEST_.*)$/.test(name));
  return inspect(Object.fromEntries(members));
}

/** The text of an error outside tests. Vitest adds its kind, such as `Unhandled Rejection`, and the test file. */
export function formatUnhandledError(error: SerializedError): string {
  const { message = '' } = toTestError(error);
  const { type, VITEST_TEST_PATH: path } = error;
  return [typeof type === 'string' ? `${type}: ` : '', message, typeof path === 'string' ? ` (${path})` : ''].join('');
}
