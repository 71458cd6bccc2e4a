/**
 * Random failure contexts of runs and instances. Like the contexts in `any-context.ts`, they consist of a shape and of
 * texts that fill the shape.
 */
import fc from 'fast-check';
import type { InstanceContext, RunContext } from '#shared/context/context-wire.ts';
import { fillEnvironment, fillGit, fillListed, type TestShape, type Texts, testShape, times } from './any-context.ts';

/**
 * The first words of error messages. Tests are grouped by error, so different first words keep the groups apart,
 * whatever text follows the first word.
 */
const ERRORS = ['alpha', 'beta'] as const;

export const listShape = fc.record({
  tests: fc.array(fc.record({ shape: testShape, error: fc.constantFrom(...ERRORS), isFlaky: fc.boolean() }), {
    maxLength: 3,
  }),
  specs: fc.nat({ max: 3 }),
  flakyTests: fc.option(fc.nat({ max: 9 }), { nil: undefined }),
  nextPage: fc.constantFrom<1 | false>(1, false),
  hasEnvironment: fc.boolean(),
  hasPullRequest: fc.boolean(),
});
export type ListShape = typeof listShape extends fc.Arbitrary<infer Shape> ? Shape : never;

function fillList({ tests }: ListShape, text: Texts) {
  const alpha = text();
  const beta = text();
  const messages = { alpha: `alpha ${alpha}`, beta: `beta ${beta}` };
  return tests.map(
    ({ shape, error, isFlaky }: { shape: TestShape; error: (typeof ERRORS)[number]; isFlaky: boolean }) => {
      const listed = fillListed(shape, messages[error], text);
      return isFlaky ? { ...listed, test: { ...listed.test, status: 'passed' } } : listed;
    },
  );
}

export const fillRun = (shape: ListShape, text: Texts): RunContext => ({
  level: 'run',
  runId: text(),
  projectId: text(),
  ciBuildId: text(),
  status: 'FAILED',
  completionState: 'COMPLETE',
  specs: times(shape.specs, (failed) => ({
    spec: text(),
    groupId: text(),
    instanceId: text(),
    failed,
    skipped: 1,
    flaky: 2,
  })),
  totalFailedTests: 7,
  totalFlakyTests: shape.flakyTests,
  list: fillList(shape, text),
  total: 9,
  nextPage: shape.nextPage,
  git: fillGit(shape, text),
});

export const fillInstance = (shape: ListShape, text: Texts): InstanceContext => ({
  level: 'instance',
  runId: text(),
  instanceId: text(),
  spec: text(),
  list: fillList(shape, text),
  total: 9,
  nextPage: shape.nextPage,
  environment: fillEnvironment(shape, text),
  git: fillGit(shape, text),
});
