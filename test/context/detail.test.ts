import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { ContextData, TestContext } from '#shared/context/context-wire.ts';
import { applyDetail } from '#shared/context/detail.ts';
import { failedInstance, failedRun, failedTest } from './examples.ts';
import { largeFailure } from './large-failure.ts';

const testAt = (context: TestContext, detail: 'default' | 'compact' | 'summary'): TestContext => {
  const reduced = applyDetail(context, detail);
  if (reduced.level !== 'test') throw new Error('Expected test level');
  return reduced;
};
const compact = (more: Partial<TestContext>) => testAt({ ...failedTest, ...more }, 'compact');
const withError = (message: string, stack: string | null = null) => ({
  error: { message, stack, location: null, snippet: null },
});

describe('`detail=default`', () => {
  test.each<ContextData>([failedTest, failedRun, failedInstance])('returns all data at $level level', (context) => {
    expect(applyDetail(context, 'default')).toEqual(context);
  });
});

describe('`detail=compact`', () => {
  test('omits the steps, keeps every other property, and counts what it omits', () => {
    const { steps: _, ...others } = failedTest;
    expect(Object.keys(compact({})).sort()).toEqual(Object.keys({ ...others, omitted: {} }).sort());
    expect(compact({}).omitted).toEqual({ steps: 7, assets: 0 });
    expect(testAt(largeFailure, 'compact').omitted).toEqual({ steps: 60, assets: 7 });
  });

  test('keeps `failureContext`, `traceErrorAnalysis`, `errorContext`, `environment` and `git` unchanged', () => {
    const { spec, test, failureContext, traceErrorAnalysis, errorContext, environment, git, meta } = largeFailure;
    const kept = { spec, test, failureContext, traceErrorAnalysis, errorContext, environment, git, meta };
    expect(testAt(largeFailure, 'compact')).toMatchObject(kept);
  });

  test('shows at most 3 files per category and their total number', () => {
    const { traces = [], screenshots = [], attachments = [], totals } = testAt(largeFailure, 'compact').assets ?? {};
    expect([traces.length, screenshots.length, attachments.length]).toEqual([1, 3, 3]);
    expect(screenshots).toEqual(largeFailure.assets?.screenshots.slice(0, 3));
    expect(totals).toEqual(largeFailure.assets?.totals);
  });

  test('keeps the last 20 lines of output, and says how much output came before them', () => {
    const lines = Array.from({ length: 25 }, (_, index) => `line ${index}\n`);
    const [end = ''] = compact({ stdout: [...lines, 'no line break'] }).stdout ?? [];
    expect(end).toBe(
      `[${lines.slice(0, 6).join('').length} characters before this]\n${lines.slice(6).join('')}no line break`,
    );
    expect(compact({ stderr: lines }).stderr?.join('').split('\n').slice(1)).toEqual([
      ...lines.slice(5).map((line) => line.trim()),
      '',
    ]);
  });

  test('keeps the end of long lines of output without splitting a character', () => {
    const [end = ''] = compact({ stdout: ['👩‍🚀'.repeat(2000)] }).stdout ?? [];
    expect(end.split('\n')[1]).toBe('👩‍🚀'.repeat(400));
  });

  test('joins the pieces of short output and keeps its text unchanged', () => {
    expect(compact({ stdout: ['a\n', 'b'], stderr: [] })).toMatchObject({ stdout: ['a\nb'], stderr: [] });
  });

  test('keeps only the stack frames in project files, and counts the omitted lines', () => {
    expect(
      compact(
        withError(
          'boom',
          `Error: boom\n    at own (/project/a.ts:1:2)\n    at theirs (/project/node_modules/x/y.js:3:4)\n    at node:internal/process:5:6`,
        ),
      ).error?.stack,
    ).toBe('    at own (/project/a.ts:1:2)\n    (2 more lines of the stack)');
  });

  test('keeps 3 frames of a stack without project files, and does not change a short stack in an unknown format', () => {
    const theirs = Array.from({ length: 5 }, (_, index) => `    at f${index} (node:internal/x:${index}:1)`);
    expect(compact(withError('boom', `boom\n${theirs.join('\n')}`)).error?.stack?.split('\n')).toEqual([
      ...theirs.slice(0, 3),
      '    (2 more lines of the stack)',
    ]);
    expect(compact(withError('boom', 'Traceback:\n  File "a.py", line 1')).error?.stack).toBe(
      'Traceback:\n  File "a.py", line 1',
    );
    expect(compact(withError('boom')).error?.stack).toBeNull();
  });

  test('shortens error messages to 4,000 characters and those of other attempts to 300, and says how many characters are missing', () => {
    expect(compact(withError('x'.repeat(4000))).error?.message).toBe('x'.repeat(4000));
    expect(compact(withError('x'.repeat(4001))).error?.message).toBe(`${'x'.repeat(4000)}… [1 more characters]`);
    const other = {
      attempt: 0,
      duration: 100,
      status: 'failed',
      sameError: true,
      error: { message: 'y'.repeat(500), location: null },
    };
    expect(compact({ otherAttempts: [other] }).otherAttempts?.[0]?.error?.message).toBe(
      `${'y'.repeat(300)}… [200 more characters]`,
    );
  });
});

describe('`detail=summary`', () => {
  test('returns only the error, its context, the identity of the test, and the number of omitted steps and files', () => {
    const { message = '', location = null, snippet } = failedTest.error ?? {};
    const source = stripVTControlCharacters(snippet ?? '');
    const { level, spec, test, errorContext, meta } = failedTest;
    const plain = stripVTControlCharacters(message);
    const stack =
      '    at CheckoutPage.expectTotal (/project/tests/pages/checkout.ts:41:37)\n    at /project/tests/cart.spec.ts:17:24';
    const error = { message: plain, location, stack, snippet: source };
    const omitted = { steps: 7, assets: 3 };
    expect(testAt(failedTest, 'summary')).toEqual({ level, spec, test, error, errorContext, meta, omitted });
  });

  test('shortens error messages to 1,000 characters', () => {
    expect(testAt({ ...failedTest, ...withError('x'.repeat(1001)) }, 'summary').error?.message).toHaveLength(
      1000 + '… [1 more characters]'.length,
    );
  });

  test('keeps 5 frames and 2,000 characters of a stack and 1,000 characters of a snippet, and says how much is missing', () => {
    const frames = Array.from({ length: 8 }, (_, index) => `    at f${index} (/project/a.ts:${index}:1)`);
    const long = testAt({ ...failedTest, ...withError('boom', `Error: boom\n${frames.join('\n')}`) }, 'summary');
    expect(long.error?.stack?.split('\n')).toEqual([...frames.slice(0, 5), '    (3 more lines of the stack)']);
    const wide = { message: 'boom', stack: `at ${'x'.repeat(3000)}`, location: null, snippet: 'y'.repeat(1500) };
    const { stack = '', snippet } = testAt({ ...failedTest, error: wide }, 'summary').error ?? {};
    expect(stack).toBe(`at ${'x'.repeat(1997)}… [1003 more characters]`);
    expect(snippet).toBe(`${'y'.repeat(1000)}… [500 more characters]`);
  });

  test('returns no error if the test has none', () => {
    expect(testAt({ ...failedTest, error: null, errorContext: null }, 'summary')).toMatchObject({
      error: null,
      errorContext: null,
    });
  });
});

describe.each(['compact', 'summary'] as const)('`detail=%s` of a list', (detail) => {
  test.each<typeof failedRun | typeof failedInstance>([failedRun, failedInstance])(
    'The tests of a list are reduced like single tests, and all other properties are kept, at $level level',
    (context) => {
      const { list, ...others } = context;
      const reduced = applyDetail(context, detail);
      if (reduced.level === 'test') throw new Error('Expected a list');
      const { list: reducedList, ...reducedOthers } = reduced;
      expect(reducedOthers).toEqual(others);
      expect(reducedList).toEqual(
        list.map(({ testId, instanceId, ...test }) => {
          const { level: _, ...alone } = testAt({ level: 'test', ...test }, detail);
          return { testId, instanceId, ...alone };
        }),
      );
    },
  );
});
