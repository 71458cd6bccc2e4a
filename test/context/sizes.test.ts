import { describe, expect, test } from 'vitest';
import { atDetail, type Detail } from '#shared/context/detail.ts';
import type { Step } from '#shared/context/shape.ts';
import { failedRun } from './examples.ts';
import { largeFailure } from './large-failure.ts';
import { pageOf } from './pairs.ts';

const DETAILS = ['default', 'compact', 'summary'] as const satisfies readonly Detail[];
const stepsIn = (steps: readonly Step[]): number => steps.reduce((sum, step) => sum + 1 + stepsIn(step.steps), 0);

describe('A long failure', () => {
  test('is one: 60 steps, 40 lines of output, 15 files', () => {
    const { traces = 0, screenshots = 0, videos = 0, attachments = 0 } = largeFailure.assets?.totals ?? {};
    expect(stepsIn(largeFailure.steps ?? [])).toBe(60);
    expect(largeFailure.stdout).toHaveLength(40);
    expect(traces + screenshots + videos + attachments).toBe(15);
  });

  test('has at each level of detail at most half the Markdown of the level above it', () => {
    const [whole = 0, compact = 0, summary = 0] = DETAILS.map(
      (detail) => pageOf(atDetail(largeFailure, detail)).length,
    );
    expect(compact).toBeLessThanOrEqual(whole / 2);
    expect(summary).toBeLessThanOrEqual(compact / 2);
  });

  test('has at each level of detail at most half the JSON of the level above it', () => {
    const [whole = 0, compact = 0, summary = 0] = DETAILS.map(
      (detail) => JSON.stringify(atDetail(largeFailure, detail)).length,
    );
    expect(compact).toBeLessThanOrEqual(whole / 2);
    expect(summary).toBeLessThanOrEqual(compact / 2);
  });
});

describe('A page of a run', () => {
  test('says an error once however many tests have it', () => {
    const list = Array.from({ length: 50 }, (_, index) =>
      failedRun.list.slice(0, 1).map((listed) => ({ ...listed, testId: `test-${index}` })),
    );
    const page = pageOf({ ...failedRun, list: list.flat() });
    expect(page.split('Received: "€ 18.00"')).toHaveLength(2);
  });
});
