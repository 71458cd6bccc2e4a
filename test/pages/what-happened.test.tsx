import { parseFragment } from 'parse5';
import { describe, expect, test } from 'vitest';
import type { Step } from '#shared/context/context-wire.ts';
import { WhatHappened } from '#shared/pages/tests/what-happened.tsx';
import { attribute, elementsIn } from '#test/harness/elements.ts';

const step = (title: string, duration: number, steps: Step[] = []): Step => ({
  title,
  category: 'test.step',
  duration,
  error: null,
  steps,
});
const percent = (text: string | undefined): number => Number(text?.replace('%', ''));

/** The start and the end of each bar, in percent of the axis. */
function drawBars(steps: Step[], duration: number, requestsAt: readonly number[] = []) {
  const networkRequests = requestsAt.map((time) => ({
    time,
    method: 'GET',
    url: 'https://shop.example/',
    status: 200,
  }));
  const context = { steps, test: { duration }, traceErrorAnalysis: { networkRequests, consoleEntries: [] } };
  const html = String(<WhatHappened context={context} startedAt={1000} />);
  return elementsIn(parseFragment(html))
    .filter(({ nodeName }) => nodeName === 'rect')
    .map((bar) => {
      const from = percent(attribute(bar, 'x'));
      return [from, from + percent(attribute(bar, 'width'))] as const;
    });
}

describe('The time axis of a failure', () => {
  test('contains hooks outside the reported duration, one after another', () => {
    expect(drawBars([step('Before Hooks', 56), step('Expect', 8), step('After Hooks', 36)], 8)).toEqual([
      [0, 56],
      [56, 64],
      [64, 100],
    ]);
  });

  test('begins with the first step if hooks lasted longer than the reported duration', () => {
    const steps = [
      { ...step('Before Hooks', 16), offset: 40 },
      { ...step('Expect', 12), offset: 56 },
      step('After', 12),
    ];
    expect(drawBars(steps, 19)).toEqual([
      [0, 40],
      [40, 70],
      [70, 100],
    ]);
  });

  test('is as long as the test if the steps are shorter', () => {
    expect(drawBars([step('Expect', 25)], 100)).toEqual([[0, 25]]);
  });

  test('contains nested steps that together are longer than their parent, and ignores unfinished ones', () => {
    const bars = drawBars([step('Page', 10, [step('one', 30), step('two', 20)]), step('click', -1)], 20);
    expect(bars.slice(0, 3)).toEqual([
      [0, 20],
      [0, 60],
      [60, 100],
    ]);
  });

  test('places steps where they began if the reporter says it, and assumes the others to follow each other', () => {
    const parallel = [{ ...step('first', 60), offset: 40 }, { ...step('second', 30), offset: 50 }, step('third', 20)];
    expect(drawBars(parallel, 100)).toEqual([
      [40, 100],
      [50, 80],
      [80, 100],
    ]);
  });

  test('places requests of hooks where they happened', () => {
    const bars = drawBars([step('Before Hooks', 80), step('Expect', 20)], 20, [1000, 1050]);
    expect(bars.map(([from]) => from)).toEqual([0, 0, 50, 80]);
  });
});
