/** Converts a test of the JSON report. */
import { expectsFailure, withErrorsOfPasses } from '#shared/model/tests/attempt.ts';
import { keptAnnotations } from '#shared/reports/annotations.ts';
import { base64File } from '#shared/reports/base64-file.ts';
import type { FoundAttempt, FoundFile, FoundTest } from '#shared/reports/found.ts';
import { keptOutput } from '#shared/reports/output.ts';
import { keptSteps } from '#shared/reports/steps-wire.ts';
import { keptTags } from '#shared/reports/tags.ts';
import { millisecondsOf, timeIn, UTC } from '#shared/reports/times.ts';
import { type PlaywrightError, playwrightErrorOf } from './error-wire.ts';
import type { Attachment, JsonResult, Test } from './json-wire.ts';
import { NEVER_RAN, outcomeOf, playwrightOutcomeOf, ranAttempts, UNNAMED_PROJECT } from './outcome.ts';

interface Place {
  readonly testId: string | undefined;
  readonly spec: string;
  readonly title: readonly string[];
  readonly tags: readonly string[];
  readonly now: number;
  /** Finds the file of an attachment that is next to the report. */
  readonly fileAt: (attachment: Attachment) => FoundFile | undefined;
}

export function foundJson(test: Test, { testId, spec, title, tags, now, fileAt }: Place): FoundTest {
  const expected = test.expectedStatus || 'passed';
  const results = test.results.map((result) => attemptOf(result, { expected, now, fileAt }));
  const attempts = results.length > 0 ? ranAttempts(results) : [NEVER_RAN];
  return {
    group: test.projectId || test.projectName || UNNAMED_PROJECT,
    spec,
    title,
    testId,
    expectedStatus: expected,
    ...outcomeOf(test.results, expected),
    attempts: withErrorsOfPasses(attempts, expectsFailure(expected, test.annotations)),
    annotations: keptAnnotations(test.annotations),
    tags: keptTags(tags),
  };
}

interface Context {
  readonly expected: string;
  readonly now: number;
  readonly fileAt: Place['fileAt'];
}

function attemptOf(result: JsonResult, { expected, now, fileAt }: Context): FoundAttempt {
  return {
    state: playwrightOutcomeOf(result.status, expected),
    rawStatus: result.status || 'failed',
    startedAt: timeIn(result.startTime, UTC, now),
    duration: millisecondsOf(result.duration ?? 0),
    workerIndex: result.workerIndex ?? -1,
    parallelIndex: result.parallelIndex ?? -1,
    errors: errorsOf(result).map(playwrightErrorOf),
    evidence: {
      steps: keptSteps(result.steps),
      stdout: keptOutput(result.stdout.map(outputText)),
      stderr: keptOutput(result.stderr.map(outputText)),
    },
    files: result.attachments.flatMap((attachment) => fileOf(attachment, fileAt) ?? []),
  };
}

/** The errors of a result. `error` repeats the first of `errors` and has its stack and snippet. */
const errorsOf = ({ error, errors }: JsonResult): PlaywrightError[] => (error ? [error, ...errors.slice(1)] : errors);

const outputText = ({ text, buffer }: { readonly text: string; readonly buffer: string }): string =>
  buffer === '' ? text : Buffer.from(buffer, 'base64').toString('utf8');

const fileOf = (attachment: Attachment, fileAt: Place['fileAt']): FoundFile | undefined =>
  attachment.body === '' ? fileAt(attachment) : base64File(attachment, attachment.body);
