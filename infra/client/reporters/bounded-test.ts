/**
 * Bounds every value of a test before it is sent, whatever the framework reports. A batch that the service refuses
 * because of one value would cost the results of all other tests in it. The limits are those of the service, so nothing
 * is cut that the service would keep.
 */
import { isAbsolute } from 'node:path';
import { cutText } from '#shared/engine/cut-text.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { limitTitle, normalizeId, normalizeSpec } from '#shared/model/short-names.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import type { Attempt, FinishedTest, Group, Step, TestError, TestFile } from './messages.ts';
import { toRelativePath } from './test-names.ts';

/** The types of a framework do not hold for what a test may throw. Some objects cannot be converted to a text. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

const cut = (value: unknown, characters: number): string => cutText(toText(value), characters);

const cutIfGiven = (value: unknown, characters: number): string | undefined =>
  value === undefined || value === null ? undefined : cut(value, characters);

const toWholeNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) : undefined;

export const boundGroupName = (group: string): string => normalizeId(toText(group));
export const boundSpec = (spec: string): string => normalizeSpec(toText(spec));
export const boundTestId = (testId: string): string => normalizeId(toText(testId));

export const boundGroup = (group: Group): Group => ({
  ...group,
  name: boundGroupName(group.name),
  tests: group.tests.map(({ testId, spec }) => ({ testId: boundTestId(testId), spec: boundSpec(spec) })),
});

export const boundErrors = (errors: readonly string[]): string[] =>
  errors
    .slice(0, RECORDING_LIMITS.errorsPerMachine)
    .map((error) => cut(error, RECORDING_LIMITS.machineErrorCharacters));

export const boundFile = (file: TestFile): TestFile => ({
  ...file,
  testId: file.testId === undefined ? undefined : boundTestId(file.testId),
  name: toText(file.name),
  fileName: file.fileName === undefined ? undefined : toText(file.fileName),
  contentType: toText(file.contentType),
});

export function boundTest(test: FinishedTest): FinishedTest {
  const budget = { steps: RECORDING_LIMITS.stepsPerTest };
  return {
    ...test,
    testId: boundTestId(test.testId),
    title: limitTitle(test.title.map(toText)),
    expectedStatus: cutIfGiven(test.expectedStatus, MODEL_LIMITS.idCharacters),
    attempts: pickAttempts(test.attempts).map((attempt) => boundAttempt(attempt, budget)),
    annotations: test.annotations?.slice(0, RECORDING_LIMITS.annotationsPerTest).map(({ type, description }) => ({
      type: cut(type, RECORDING_LIMITS.annotationTypeCharacters),
      description: cutIfGiven(description, RECORDING_LIMITS.annotationDescriptionCharacters),
    })),
    tags: test.tags?.slice(0, RECORDING_LIMITS.tagsPerList).map((tag) => toText(tag)),
  };
}

/** The first attempts, as many as the service keeps, and the last one, which decides the outcome. */
const pickAttempts = (attempts: readonly Attempt[]): readonly Attempt[] =>
  attempts.length > MODEL_LIMITS.attemptsPerTest
    ? [...attempts.slice(0, MODEL_LIMITS.attemptsPerTest - 1), ...attempts.slice(-1)]
    : attempts;

const boundAttempt = (attempt: Attempt, budget: { steps: number }): Attempt => ({
  ...attempt,
  status: cut(attempt.status, MODEL_LIMITS.idCharacters),
  startTime: toWholeNumber(attempt.startTime),
  duration: toWholeNumber(attempt.duration) ?? 0,
  workerIndex: toWholeNumber(attempt.workerIndex),
  parallelIndex: toWholeNumber(attempt.parallelIndex),
  errors: attempt.errors?.slice(0, RECORDING_LIMITS.errorsPerAttempt).map(boundError),
  steps: attempt.steps && boundSteps(attempt.steps, budget, 0),
  stdout: attempt.stdout && joinPieces(attempt.stdout),
  stderr: attempt.stderr && joinPieces(attempt.stderr),
});

/** A test may print thousands of single characters. The service limits how many texts a request has. */
function joinPieces(output: readonly string[]): string[] {
  const pieces = output.map(toText);
  return pieces.length > MOST_PIECES ? [pieces.join('')] : pieces;
}
const MOST_PIECES = 1000;

const boundError = ({ message, value, stack, snippet, location }: TestError): TestError => ({
  message: cutIfGiven(message, RECORDING_LIMITS.errorMessageCharacters),
  value: cutIfGiven(value, RECORDING_LIMITS.errorMessageCharacters),
  stack: cutIfGiven(stack, RECORDING_LIMITS.errorStackCharacters),
  snippet: cutIfGiven(snippet, RECORDING_LIMITS.errorSnippetCharacters),
  location: location && {
    file: cut(location.file, MODEL_LIMITS.specCharacters),
    line: toWholeNumber(location.line) ?? 0,
    column: toWholeNumber(location.column) ?? 0,
  },
});

/** Names the files of errors relative to the repository, so that pages can link them: nobody knows folders of a machine. */
export const placeErrors = (test: FinishedTest, root: string): FinishedTest => ({
  ...test,
  attempts: test.attempts.map((attempt) => ({
    ...attempt,
    errors: attempt.errors?.map((error) => ({
      ...error,
      location: error.location && { ...error.location, file: toPathInRoot(root, error.location.file) },
    })),
  })),
});

function toPathInRoot(root: string, file: string): string {
  const path = isAbsolute(file) ? toRelativePath(root, file) : file;
  return path.split('/')[0] === '..' || isAbsolute(path) ? file : path;
}

/** Deeper steps would exceed the nesting depth of a request, because each step is an object in a list. */
const STEP_DEPTH = 40;

function boundSteps(steps: readonly Step[], budget: { steps: number }, depth: number): Step[] {
  const keptSteps: Step[] = [];
  for (const step of steps) {
    if (budget.steps === 0 || depth === STEP_DEPTH) break;
    budget.steps -= 1;
    keptSteps.push({
      title: cut(step.title, RECORDING_LIMITS.stepTitleCharacters),
      category: cut(step.category, RECORDING_LIMITS.stepCategoryCharacters),
      duration: toWholeNumber(step.duration) ?? -1,
      startTime: toWholeNumber(step.startTime),
      // The service does not keep the stack of a step, because the errors of the test have it.
      error: step.error && { ...boundError(step.error), stack: undefined },
      steps: boundSteps(step.steps, budget, depth + 1),
    });
  }
  return keptSteps;
}

/** The service accepts requests of a few megabytes. Each of these tests is sent with less and less, until it fits. */
const MOST_BYTES = 4 * 1024 * 1024;
const SHORT_MESSAGE = 2000;
const SHORT_STACK = 4000;

const REDUCTIONS: readonly ((attempt: Attempt) => Attempt)[] = [
  (attempt) => attempt,
  ({ steps: _, ...attempt }) => attempt,
  ({ stdout: _, stderr: __, ...attempt }) => attempt,
  ({ errors = [], ...attempt }) => ({
    ...attempt,
    errors: errors.slice(0, 1).map(({ message, value, stack, location }) => ({
      message: cutIfGiven(message, SHORT_MESSAGE),
      value: cutIfGiven(value, SHORT_MESSAGE),
      stack: cutIfGiven(stack, SHORT_STACK),
      location,
    })),
  }),
];

/** The JSON of a test, without its steps, output and long errors if they make it too large for a request. */
export function toBoundedJson<Test extends Pick<FinishedTest, 'attempts'>>(
  test: Test,
): { readonly json: string; readonly isReduced: boolean } {
  let { attempts } = test;
  let json = '';
  for (const [index, reduce] of REDUCTIONS.entries()) {
    attempts = attempts.map(reduce);
    json = JSON.stringify({ ...test, attempts });
    if (json.length < MOST_BYTES / 4 || Buffer.byteLength(json) <= MOST_BYTES) return { json, isReduced: index > 0 };
  }
  return { json, isReduced: true };
}
