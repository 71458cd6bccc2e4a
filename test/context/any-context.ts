/** Random failure contexts, split into a shape and its texts, so that one shape can be filled with different texts. */
import fc from 'fast-check';
import type { ErrorInfo, FailureContext, ListedTest, Step, TestContext } from '#shared/context/context-wire.ts';
import { OURS } from './parse-back.ts';

/** Returns the next text. */
export type Texts = () => string;

const few = fc.nat({ max: 2 });
const maybe = fc.boolean();

export const testShape = fc.record({
  titleParts: fc.integer({ min: 1, max: 3 }),
  duration: fc.constantFrom(-1, 0, 5412, 100_000),
  error: maybe,
  hasLocation: maybe,
  hasStack: maybe,
  hasSnippet: maybe,
  hasErrorContext: maybe,
  hasFailureContext: maybe,
  hasNeighbours: maybe,
  stepWidth: few,
  stepDepth: few,
  furtherErrors: few,
  otherAttempts: few,
  sameError: maybe,
  consoleEntries: few,
  networkRequests: few,
  stdout: few,
  stderr: few,
  files: few,
  hasEnvironment: maybe,
  hasPullRequest: maybe,
});
export type TestShape = typeof testShape extends fc.Arbitrary<infer Shape> ? Shape : never;

export function fillTest(shape: TestShape, text: Texts): TestContext {
  const error = shape.error ? fillError(shape, text) : null;
  return {
    level: 'test',
    spec: text(),
    test: {
      title: times(shape.titleParts, text),
      status: text(),
      attempt: 1,
      totalAttempts: 2,
      duration: shape.duration,
    },
    error,
    ...(shape.furtherErrors > 0 && {
      furtherErrors: times(shape.furtherErrors, () => ({ message: text(), location: place(shape, text) })),
    }),
    otherAttempts: times(shape.otherAttempts, (attempt) => ({
      attempt,
      status: text(),
      duration: shape.duration,
      sameError: shape.sameError,
      error: { message: text(), location: place(shape, text) },
    })),
    errorContext: shape.hasErrorContext ? link(text) : null,
    traceErrorAnalysis: fillAnalysis(shape, text),
    failureContext: shape.hasFailureContext ? fillFailure(shape, text) : null,
    steps: fillSteps(shape.stepDepth, shape, text),
    stdout: times(shape.stdout, text),
    stderr: times(shape.stderr, text),
    assets: fillAssets(shape, text),
    meta: { projectId: text(), runId: text(), instanceId: text(), testId: text(), signature: text(), attempt: 1 },
    environment: fillEnvironment(shape, text),
    git: fillGit(shape, text),
  };
}

/** Fills the shape of a test in a list. `message` is the error message by which the list groups tests. */
export function fillListed(shape: TestShape, message: string, text: Texts): ListedTest {
  const { level: _, ...test } = fillTest(shape, text);
  const error = test.error && { ...test.error, message };
  return { testId: text(), instanceId: text(), ...test, error };
}

export const times = <Made>(number: number, make: (index: number) => Made): Made[] =>
  Array.from({ length: number }, (_, index) => make(index));

const place = ({ hasLocation }: TestShape, text: Texts) => (hasLocation ? { file: text(), line: 3, column: 7 } : null);

const link = (text: Texts) => ({ name: text(), url: `${OURS}file(1).zip?signature=a%2Fb_*c*` });

const fillError = (shape: TestShape, text: Texts): ErrorInfo => ({
  message: text(),
  // The stack has frames of its own, because a stack that only repeats the message is not shown.
  stack: shape.hasStack ? `${text()}\n    at ${text()}\n    at last frame (app.ts:1:2)` : null,
  location: place(shape, text),
  snippet: shape.hasSnippet ? text() : null,
});

const fillStep = (shape: TestShape, text: Texts, steps: Step[]): Step => ({
  title: text(),
  category: text(),
  duration: shape.duration,
  error: shape.error ? fillError(shape, text) : null,
  steps,
});

const fillSteps = (depth: number, shape: TestShape, text: Texts): Step[] =>
  times(shape.stepWidth, () => fillStep(shape, text, depth > 0 ? fillSteps(depth - 1, shape, text) : []));

function fillFailure(shape: TestShape, text: Texts): FailureContext {
  const neighbour = () => (shape.hasNeighbours ? fillStep(shape, text, []) : null);
  return { failedStepIndex: 4, stepBefore: neighbour(), failedStep: fillStep(shape, text, []), stepAfter: neighbour() };
}

const fillAnalysis = (shape: TestShape, text: Texts): NonNullable<TestContext['traceErrorAnalysis']> => ({
  consoleEntries: times(shape.consoleEntries, (time) => ({
    time,
    messageType: text(),
    text: text(),
    location: { url: text(), lineNumber: 0, columnNumber: 0 },
  })),
  networkRequests: times(shape.networkRequests, (time) => ({ time, url: text(), status: 200, method: text() })),
});

function fillAssets({ files }: TestShape, text: Texts): NonNullable<TestContext['assets']> {
  const attachment = () => ({ ...link(text), filename: text(), contentType: text() });
  return {
    traces: times(files, () => link(text)),
    screenshots: times(files, () => link(text)),
    videos: [],
    attachments: times(files, attachment),
    totals: { traces: files, screenshots: files, videos: 0, attachments: files },
  };
}

export const fillEnvironment = (
  { hasEnvironment }: Pick<TestShape, 'hasEnvironment'>,
  text: Texts,
): NonNullable<TestContext['environment']> =>
  hasEnvironment
    ? {
        framework: { type: text(), version: text() },
        platform: { osName: text(), osVersion: null, browserName: null, browserVersion: text() },
        project: text(),
      }
    : { framework: null, platform: null, project: null };

export const fillGit = (
  { hasPullRequest }: Pick<TestShape, 'hasPullRequest'>,
  text: Texts,
): NonNullable<TestContext['git']> => ({
  repository: text(),
  branch: text(),
  sha: text(),
  pullRequest: hasPullRequest ? { number: text(), url: text(), baseBranch: text() } : null,
});
