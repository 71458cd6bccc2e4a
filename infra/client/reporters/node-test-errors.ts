/** Errors of node:test, as the service stores them. */
import { inspect } from 'node:util';
import { buildAttemptError } from '#shared/reports/error-texts.ts';
import { isObject } from '../settings/json.ts';
import type { TestError } from './messages.ts';
import { type EventData, getWrapper } from './node-test-events.ts';
import { findErrorLine, getStackHead } from './stack-text.ts';

const MOST_CAUSES = 5;

const getText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What the test threw is the `cause` of the error in the event. */
export function toTestErrors(data: EventData, spec: string): TestError[] {
  const { line = 0, column = 0, expectFailure } = data;
  const { cause, message: wrapperMessage } = getWrapper(data);
  const hook = /^failed running \w+ hook$/.exec(getText(wrapperMessage))?.[0];
  const thrownError = isObject(cause)
    ? cause
    : { message: cause === undefined ? getText(wrapperMessage) : String(cause) };
  const innerErrors = Array.isArray(thrownError['errors'])
    ? thrownError['errors'].filter(isObject).slice(0, MOST_CAUSES)
    : [];
  const missingFailure = expectFailure && !isObject(cause) ? 'Expected to fail, but passed' : undefined;
  const testLocation = { file: spec, line, column };
  return [thrownError, ...innerErrors].map((error, index) => {
    const { message, stack, location } = buildAttemptError({
      message: `${hook === undefined || index > 0 ? '' : `${hook}: `}${missingFailure ?? getMessage(error)}`,
      type: getText(error['name']),
      stack: joinStacks(error),
      spec,
    });
    return { message, stack: stack ?? undefined, location: location ?? testLocation };
  });
}

const getMessage = (error: Readonly<Record<string, unknown>>): string =>
  getText(error['message']) ||
  getStackHead(getText(error['stack'])) ||
  getText(error['name']) ||
  formatThrownObject(error);

/** What a test threw that is no error, such as `{ code: 42 }`. */
const formatThrownObject = (value: Readonly<Record<string, unknown>>): string =>
  'message' in value ? '' : inspect(value);

function joinStacks(error: Readonly<Record<string, unknown>>): string {
  const stacks: string[] = [];
  let one: unknown = error;
  for (let depth = 0; isObject(one) && depth < MOST_CAUSES; depth += 1) {
    const stack = getText(one['stack']) || getText(one['message']);
    if (stack !== '') stacks.push(depth === 0 ? stack : `Caused by: ${stack}`);
    one = one['cause'];
  }
  return getText(error['stack']) === '' && stacks.length === 1 ? '' : stacks.join('\n');
}

/** Why the process of a test file failed. Node reports only how the process ended, and what it printed. */
export function makeFileError(data: EventData, spec: string, lateErrors: readonly string[], stderr: string): TestError {
  const { exitCode, signal } = getWrapper(data);
  const how = typeof signal === 'string' ? `was ended by ${signal}` : `ended with exit code ${String(exitCode ?? 1)}`;
  const reason = lateErrors[0] ?? findErrorLine(stderr);
  const { message, stack, location } = buildAttemptError({
    message: `The process of ${spec} ${how}${reason === undefined ? '' : `: ${reason}`}`,
    stack: [...lateErrors.slice(1), stderr].join('\n'),
    spec,
  });
  return {
    message,
    stack: stack ?? undefined,
    location: location ?? { file: spec, line: Math.max(1, data.line ?? 0), column: 1 },
  };
}
