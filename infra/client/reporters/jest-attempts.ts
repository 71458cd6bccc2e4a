/** The attempts of a test in Jest. */
import { buildAttemptError } from '#shared/reports/error-texts.ts';
import { replaceUnstableParts } from '#shared/reports/paths.ts';
import type { CaseResult, CaseStart } from './jest-types.ts';
import type { Attempt, Outcome, TestError } from './messages.ts';
import { getStackHead } from './stack-text.ts';

/** Tests with another status, such as `pending` or `todo`, were skipped, or left out by a filter. */
export const OUTCOMES: ReadonlyMap<string, Outcome> = new Map([
  ['passed', 'passed'],
  ['failed', 'failed'],
]);

export const listStableTitles = ({ ancestorTitles, title }: CaseStart): string[] =>
  [...ancestorTitles, title].map(replaceUnstableParts);
export const getTestKey = (test: CaseStart): string => JSON.stringify(listStableTitles(test));

interface CaseHistory {
  readonly runs: readonly CaseResult[];
  readonly spec: string;
  readonly startedAt: number | null | undefined;
}

export function toAttempts(result: CaseResult, { runs, spec, startedAt }: CaseHistory): Attempt[] {
  const { invocations = 1, retryReasons = [] } = result;
  const earlierAttempts = Array.from({ length: Math.max(0, invocations - 1) }, (_, index): Attempt => {
    const run = runs.find((one) => one.invocations === index + 1 && one.status === 'failed');
    const reason = retryReasons[index];
    const placeholder = { ancestorTitles: [], title: '', status: 'failed', failureMessages: reason ? [reason] : [] };
    return toAttempt(run ?? placeholder, { spec, startedAt: undefined });
  });
  return [...earlierAttempts, toAttempt(result, { spec, startedAt: invocations > 1 ? undefined : startedAt })];
}

function toAttempt(result: CaseResult, { spec, startedAt }: Omit<CaseHistory, 'runs'>): Attempt {
  const { status, duration, location, failureMessages = [] } = result;
  return {
    state: OUTCOMES.get(status) ?? 'pending',
    status: failureMessages.some((message) => TIMED_OUT.test(message)) ? 'timedOut' : status,
    startTime: result.startedAt ?? result.startAt ?? startedAt ?? undefined,
    duration: Math.max(0, Math.round(duration ?? 0)),
    errors: failureMessages.map((stack) => {
      const error = toTestError({ message: getStackHead(stack), stack, spec });
      const caseLocation = location ? { file: spec, line: location.line, column: location.column } : undefined;
      return { ...error, location: error.location ?? caseLocation };
    }),
  };
}

const TIMED_OUT = /^(?:Error: )?thrown: "Exceeded timeout of \d+ ms for a (?:test|hook)/;

export function toTestError(parts: {
  readonly message: string;
  readonly stack: string;
  readonly spec: string;
}): TestError {
  const { message, stack, location } = buildAttemptError(parts);
  return { message, stack: stack ?? undefined, location: location ?? undefined };
}
