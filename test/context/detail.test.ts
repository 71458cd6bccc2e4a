import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { atDetail } from '#shared/context/detail.ts';
import type { ContextData, TestContext } from '#shared/context/shape.ts';
import { failedInstance, failedRun, failedTest } from './examples.ts';
import { largeFailure } from './large-failure.ts';

const testAt = (context: TestContext, detail: 'default' | 'compact' | 'summary'): TestContext => {
  const reduced = atDetail(context, detail);
  if (reduced.level !== 'test') throw new Error('Another level');
  return reduced;
};
const compact = (more: Partial<TestContext>) => testAt({ ...failedTest, ...more }, 'compact');
const withError = (message: string, stack: string | null = null) => ({
  error: { message, stack, location: null, snippet: null },
});

describe('`detail=default`', () => {
  test.each<ContextData>([failedTest, failedRun, failedInstance])('returns all data at $level level', (context) => {
    expect(atDetail(context, 'default')).toEqual(context);
  });
});

describe('`detail=compact`', () => {
  test('omits the steps, and keeps every other member', () => {
    const { steps: _, ...others } = failedTest;
    expect(Object.keys(compact({})).sort()).toEqual(Object.keys(others).sort());
  });

  test('keeps failure context, analysis, error context, environment and Git as they are', () => {
    const { spec, test, failureContext, traceErrorAnalysis, errorContext, environment, git, meta } = largeFailure;
    const kept = { spec, test, failureContext, traceErrorAnalysis, errorContext, environment, git, meta };
    expect(testAt(largeFailure, 'compact')).toMatchObject(kept);
  });

  test('limits assets to 3 of each category, and says how many there are', () => {
    const { traces = [], screenshots = [], attachments = [], totals } = testAt(largeFailure, 'compact').assets ?? {};
    expect([traces.length, screenshots.length, attachments.length]).toEqual([1, 3, 3]);
    expect(screenshots).toEqual(largeFailure.assets?.screenshots.slice(0, 3));
    expect(totals).toEqual(largeFailure.assets?.totals);
  });

  test('keeps the last 20 lines of output, and says how much came before', () => {
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

  test('keeps the end of output that has few lines and many characters, and whole characters of it', () => {
    const [end = ''] = compact({ stdout: ['👩‍🚀'.repeat(2000)] }).stdout ?? [];
    expect(end.split('\n')[1]).toBe('👩‍🚀'.repeat(400));
  });

  test('keeps output that is short', () => {
    expect(compact({ stdout: ['a\n', 'b'], stderr: [] })).toMatchObject({ stdout: ['a\nb'], stderr: [] });
  });

  test('keeps of a stack the frames in files of the project', () => {
    expect(
      compact(
        withError(
          'boom',
          `Error: boom\n    at own (/project/a.ts:1:2)\n    at theirs (/project/node_modules/x/y.js:3:4)\n    at node:internal/process:5:6`,
        ),
      ).error?.stack,
    ).toBe('    at own (/project/a.ts:1:2)\n    (2 more lines of the stack)');
  });

  test('keeps a few frames where none is in a file of the project, and the beginning of a stack of another kind', () => {
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

  test('shortens messages of 4,000 characters and more, of other attempts of 300, and says so', () => {
    expect(compact(withError('x'.repeat(4000))).error?.message).toBe('x'.repeat(4000));
    expect(compact(withError('x'.repeat(4001))).error?.message).toBe(`${'x'.repeat(4000)}… [1 more characters]`);
    const other = {
      attempt: 0,
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
  test('returns the error, its context, and what names the test', () => {
    const { message = '', location = null } = failedTest.error ?? {};
    const { level, spec, test, errorContext, meta } = failedTest;
    const plain = stripVTControlCharacters(message);
    const error = { message: plain, location, stack: null, snippet: null };
    expect(testAt(failedTest, 'summary')).toEqual({ level, spec, test, error, errorContext, meta });
  });

  test('shortens messages of 1,000 characters and more', () => {
    expect(testAt({ ...failedTest, ...withError('x'.repeat(1001)) }, 'summary').error?.message).toHaveLength(
      1000 + '… [1 more characters]'.length,
    );
  });

  test('has no error where there is none', () => {
    expect(testAt({ ...failedTest, error: null, errorContext: null }, 'summary')).toMatchObject({
      error: null,
      errorContext: null,
    });
  });
});

describe.each(['compact', 'summary'] as const)('`detail=%s` of a list', (detail) => {
  test.each<typeof failedRun | typeof failedInstance>([failedRun, failedInstance])(
    'treats each test of it like a test, and keeps all else, at $level level',
    (context) => {
      const { list, ...others } = context;
      const reduced = atDetail(context, detail);
      if (reduced.level === 'test') throw new Error('Another level');
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
