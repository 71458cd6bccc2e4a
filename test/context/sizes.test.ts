import { describe, expect, test } from 'vitest';
import type { Step } from '#shared/context/context-wire.ts';
import { applyDetail, type Detail } from '#shared/context/detail.ts';
import { failedInstance, failedRun } from './examples.ts';
import { largeFailure } from './large-failure.ts';
import { pageOf } from './pairs.ts';
import { step } from './steps.ts';

const DETAILS = ['default', 'compact', 'summary'] as const satisfies readonly Detail[];
const stepsIn = (steps: readonly Step[]): number => steps.reduce((sum, step) => sum + 1 + stepsIn(step.steps), 0);

describe('A large failure', () => {
  test('The large sample failure has 60 steps, 40 lines of output and 15 files', () => {
    const { traces = 0, screenshots = 0, videos = 0, attachments = 0 } = largeFailure.assets?.totals ?? {};
    expect(stepsIn(largeFailure.steps ?? [])).toBe(60);
    expect(largeFailure.stdout).toHaveLength(40);
    expect(traces + screenshots + videos + attachments).toBe(15);
  });

  test('Each lower detail level at least halves the Markdown of a large failure', () => {
    const [whole = 0, compact = 0, summary = 0] = DETAILS.map(
      (detail) => pageOf(applyDetail(largeFailure, detail), undefined, detail).length,
    );
    expect(compact).toBeLessThanOrEqual(whole / 2);
    expect(summary).toBeLessThanOrEqual(compact / 2);
  });

  test('Each lower detail level at least halves the JSON of a large failure', () => {
    const [whole = 0, compact = 0, summary = 0] = DETAILS.map(
      (detail) => JSON.stringify(applyDetail(largeFailure, detail)).length,
    );
    expect(compact).toBeLessThanOrEqual(whole / 2);
    expect(summary).toBeLessThanOrEqual(compact / 2);
  });
});

describe('A list page', () => {
  const [listed] = failedRun.list;
  if (!listed) throw new Error('Expected a listed test');
  const short = { message: 'boom', stack: null, location: null, snippet: null };
  const bare = { ...listed, error: short, steps: [], failureContext: null, traceErrorAnalysis: null, stdout: [] };
  const lists = {
    'failures with steps': failedRun.list,
    'a failure of one word': [bare],
    'a failure with one step': [{ ...bare, steps: [step('a', 'expect', 1)] }],
    'twenty short failures': Array.from({ length: 20 }, (_, index) => ({
      ...bare,
      error: { ...short, message: `boom ${'x'.repeat(index)}`, stack: `Error\n    at a (a.ts:1:2)\n    at node:b:1:1` },
    })),
  };

  test.each(Object.entries(lists))('gets shorter with each lower detail level: %s', (_, list) => {
    for (const context of [
      { ...failedRun, list },
      { ...failedInstance, list },
    ]) {
      const bytes = DETAILS.map((detail) => Buffer.byteLength(pageOf(applyDetail(context, detail), undefined, detail)));
      expect(bytes).toEqual([...new Set(bytes)].sort((one, other) => other - one));
    }
  });

  test('A page of a list shows the steps of its tests only at the default detail level, and counts the omitted steps', () => {
    const [whole, compact, summary] = DETAILS.map((detail) =>
      pageOf(applyDetail(failedRun, detail), undefined, detail),
    );
    expect(whole).toContain('- Before Hooks (hook, 310 ms)');
    expect(compact).not.toContain('Before Hooks');
    expect(compact).toContain('Omitted: 28 steps.');
    expect(summary).toContain('Omitted: 28 steps, 12 files.');
  });
});

describe('A run page', () => {
  test('A page of a run shows an error only once for all tests that failed with it', () => {
    const list = Array.from({ length: 50 }, (_, index) =>
      failedRun.list.slice(0, 1).map((listed) => ({ ...listed, testId: `test-${index}` })),
    );
    const page = pageOf({ ...failedRun, list: list.flat() });
    expect(page.split('Received: "€ 18.00"')).toHaveLength(2);
  });
});
