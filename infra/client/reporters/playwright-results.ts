/** The result of a test in Playwright, with its attempts and files. */
import type { TestError as PlaywrightError, TestCase, TestResult, TestStep } from '@playwright/test/reporter';
import { detectFileType } from '#shared/reports/attached-file.ts';
import { deriveAttemptOutcome, deriveTestOutcome, NEVER_RAN } from '#shared/reports/playwright/outcome.ts';
import { normalizeTags } from '#shared/reports/tags.ts';
import type { Attempt, FinishedTest, Step, TestError, TestFile } from './messages.ts';
import type { RuleEffect } from './playwright-rules.ts';
import { listPlaywrightTags } from './playwright-tags.ts';
import { listRuleTags } from './rules-of-project.ts';

export function toFinishedTest(test: TestCase, effect: RuleEffect | undefined): FinishedTest {
  const { expectedStatus, results } = effect?.isQuarantined ? toQuarantined(test) : test;
  const annotations = [...test.annotations, ...(effect?.annotations ?? [])];
  const { outcome, flaky } = deriveTestOutcome(results, expectedStatus);
  const [, , , ...title] = test.titlePath();
  // The recorder would leave out the evidence of a test that simply passed, so it is not converted.
  const isPlain = results.length === 1 && outcome === 'passed' && !flaky;
  const convert = isPlain ? toPlainAttempt : toAttempt;
  return {
    testId: test.id,
    title,
    state: outcome,
    isFlaky: flaky,
    expectedStatus,
    attempts: results.length > 0 ? results.map((result) => convert(result, expectedStatus)) : [NOT_RUN],
    annotations: annotations.map(({ type, description }) => ({ type, description })),
    tags: normalizeTags([...listPlaywrightTags(test, title), ...listRuleTags(annotations)]),
  };
}

/** The failure of a quarantined test is recorded as fixtures report it: skipped, with its errors. */
function toQuarantined({ results }: TestCase): Pick<TestCase, 'expectedStatus' | 'results'> {
  const last = results.length - 1;
  return {
    expectedStatus: 'skipped',
    results: results.map((result, index) => (index === last ? { ...result, status: 'skipped' } : result)),
  };
}

const NOT_RUN: Attempt = { state: NEVER_RAN.state, status: NEVER_RAN.rawStatus, duration: 0 };

const toPlainAttempt = (result: TestResult, expectedStatus: string): Attempt => ({
  state: deriveAttemptOutcome(result.status, expectedStatus),
  status: result.status,
  startTime: result.startTime.getTime(),
  duration: result.duration,
  workerIndex: result.workerIndex,
  parallelIndex: result.parallelIndex,
  // A test that is expected to fail passes with an error.
  errors: result.errors.map(toTestError),
});

const toAttempt = (result: TestResult, expectedStatus: string): Attempt => ({
  ...toPlainAttempt(result, expectedStatus),
  steps: result.steps.map(toStep),
  stdout: toTexts(result.stdout),
  stderr: toTexts(result.stderr),
});

const toTestError = ({ message, stack, snippet, value, location }: PlaywrightError): TestError => ({
  message,
  stack,
  snippet,
  value,
  location,
});

const toStep = ({ title, category, startTime, duration, error, steps }: TestStep): Step => ({
  title,
  category,
  startTime: startTime.getTime(),
  duration,
  error: error && toTestError(error),
  steps: steps.map(toStep),
});

export const toTexts = (output: readonly (string | Buffer)[]): string[] =>
  output.map((chunk) => (typeof chunk === 'string' ? chunk : chunk.toString('utf8')));

export const listFiles = ({ id: testId, results }: TestCase): TestFile[] =>
  results.flatMap(({ attachments }, attempt) =>
    attachments.flatMap(({ name, contentType, path, body }): TestFile[] => {
      const file = { testId, attempt, type: detectFileType({ name, contentType }), name, contentType };
      if (path !== undefined) return [{ ...file, fileName: path.split(/[\\/]/).at(-1), content: { path } }];
      return body === undefined ? [] : [{ ...file, content: { bytes: body } }];
    }),
  );
