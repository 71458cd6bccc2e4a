import { describe, expect, test } from 'vitest';
import type { RunContext, TestContext } from '#shared/context/context-wire.ts';
import { failedRun, failedTest } from './examples.ts';
import { pageOf } from './pairs.ts';
import { step } from './steps.ts';

const headings = (page: string): string[] => [...page.matchAll(/^#+ (.*)$/gm)].map(([, words = '']) => words);
const testPage = (more: Partial<TestContext>): string => pageOf({ ...failedTest, ...more });
const runPage = (more: Partial<RunContext>): string => pageOf({ ...failedRun, ...more });

describe('A page at test level', () => {
  test('has its sections in a fixed order, which begins with the error and its context', () => {
    expect(headings(testPage({ stderr: ['careful'] }))).toEqual([
      'Test Failure Context',
      'Error',
      'Failure Context',
      'Error Context',
      'Browser Console',
      'Network Requests',
      'Other Attempts',
      'All Steps',
      'Stdout',
      'Stderr',
      'Assets',
      'Environment',
      'Git',
      'Metadata',
    ]);
  });

  test('omits empty sections', () => {
    const { level, spec, test, meta } = failedTest;
    const nothing = { traces: [], screenshots: [], videos: [], attachments: [] };
    const totals = { traces: 0, screenshots: 0, videos: 0, attachments: 0 };
    const page = pageOf({
      level,
      spec,
      test,
      meta,
      error: null,
      errorContext: null,
      failureContext: null,
      traceErrorAnalysis: { consoleEntries: [], networkRequests: [] },
      otherAttempts: [],
      steps: [],
      stdout: [],
      stderr: [],
      assets: { ...nothing, totals },
      environment: { framework: null, platform: null, project: null },
      git: { repository: null, branch: null, sha: null, pullRequest: null },
    });
    expect(headings(page)).toEqual(['Test Failure Context', 'Metadata']);
  });

  test('warns about untrusted data before any content', () => {
    const page = testPage({});
    expect(page.indexOf('untrusted data')).toBeGreaterThan(0);
    expect(page.indexOf('untrusted data')).toBeLessThan(page.indexOf(failedTest.spec));
  });

  test('marks the failed step even if the step has no error, as after a timeout', () => {
    const waits = step('waits', 'test.step', -1);
    const steps = [step('begins', 'hook', 1, { steps: [step('opens', 'fixture', 1)] }), waits];
    const failureContext = { failedStepIndex: 2, stepBefore: null, failedStep: waits, stepAfter: null };
    const page = testPage({ steps, failureContext });
    expect(page).toContain('>>> 1. waits (test.step, never ended) <<< FAILED');
    expect(page).toContain(
      '- begins (hook, 1 ms)\n  - opens (fixture, 1 ms)\n- waits (test.step, never ended) <<< FAILED',
    );
  });

  test('omits the error of a step if it equals the error of the test', () => {
    const error = { message: 'soft: expected 1\nto be 2', stack: null, location: null, snippet: null };
    const page = testPage({
      steps: [step('checks', 'expect', 1, { error }), step('fails', 'expect', 1, { error: failedTest.error })],
    });
    expect(page).toContain('- checks (expect, 1 ms) <<< FAILED: soft: expected 1\n- fails (expect, 1 ms) <<< FAILED\n');
  });

  test('joins the pieces of an output into lines', () => {
    expect(testPage({ stdout: ['two ', 'pieces\n', 'and a line\n'] })).toContain('\ntwo pieces\nand a line\n```');
  });

  test.each([
    [-1, 'never ended'],
    [0, '0 ms'],
    [999, '999 ms'],
    [5412, '5.4 s'],
    [59_949, '59.9 s'],
    [59_950, '1 min 0 s'],
    [119_700, '2 min 0 s'],
    [3_725_000, '62 min 5 s'],
  ])('A page formats a duration of %i milliseconds as "%s"', (duration, words) => {
    expect(testPage({ test: { ...failedTest.test, duration } })).toContain(`- Duration: ${words}\n`);
  });
});

describe('A follow-up query', () => {
  test('The follow-up API request that a page suggests encodes special characters in ids', () => {
    const page = testPage({ meta: { ...failedTest.meta, testId: 'a&b=c#d `é\ud800' } });
    expect(page).toContain('test_id=a%26b%3Dc%23d%20%60%C3%A9%EF%BF%BD&attempt=1');
  });

  test('A page without tests suggests no follow-up API request', () => {
    expect(runPage({ list: [] })).not.toContain('GET /');
  });
});

describe('A page at run level', () => {
  test('groups tests whose errors differ only in ids and numbers, and its numbering of tests continues across the groups', () => {
    const page = runPage({});
    expect(headings(page).filter((words) => words.startsWith('Error'))).toEqual([
      'Error 1 of 2, in 2 tests',
      'Error 2 of 2, in 1 test',
      'Error 1 of 1, in 1 test',
    ]);
    expect(page.match(/^\d+\. .*$/gm)).toEqual([
      '1. `cart > sums equal articles`',
      '2. `cart > sums other articles`',
      '3. `cart > times out`',
      '4. `cart > is shown in time`',
    ]);
  });

  test('shows flaky tests after failed tests', () => {
    const page = runPage({});
    expect(page.indexOf('## Flaky Tests')).toBeGreaterThan(page.indexOf('cart > times out'));
    expect(page.indexOf('cart > is shown in time')).toBeGreaterThan(page.indexOf('## Flaky Tests'));
  });

  test('counts files instead of linking to them', () => {
    const page = runPage({});
    expect(page).toContain('- Assets: 1 trace, 1 screenshot, 1 attachment');
    expect(page).not.toContain('https://files.example.com');
  });

  test('names the next page if there is one', () => {
    expect(runPage({})).toContain('This page shows 4 of 5 tests. For the next page, repeat the request with `page=1`.');
    expect(runPage({ nextPage: false })).not.toContain('For the next page');
  });

  test('says that no error was recorded if a test has none', () => {
    const list = failedRun.list.slice(0, 1).map((listed) => ({ ...listed, error: null }));
    expect(runPage({ list })).toContain('### Error 1 of 1, in 1 test\n\nNo error was recorded.');
  });
});
