import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { describe, expect, test } from 'vitest';
import type { ContextData } from '#shared/context/context-wire.ts';
import { cases, sampled } from '#test/harness/cases.ts';
import { fillTest, testShape } from './any-context.ts';
import { fillRun, listShape } from './any-list.ts';
import { failedInstance, failedRun, failedTest } from './examples.ts';
import { largeFailure } from './large-failure.ts';
import { hostileTexts, inTurn, pageOf } from './pairs.ts';
import { parse } from './parse-back.ts';

const SAYS_SO = /cut to|Cut:|…/;
const SAYS_HOW = /(cut to|Cut:).*send a larger max_length/;
/** The number of `max_length` values that are tried for each page. */
const LENGTHS = 5;
const LEAST_FOR_A_SENTENCE = 60;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

const codePoints = (text: string): number => [...text].length;
const textOf = (node: Nodes): string =>
  'value' in node ? node.value : 'children' in node ? node.children.map(textOf).join('') : '';

/**
 * Checks that `cut` is a prefix of `whole`: it has the same nodes in the same order, but may have fewer of them, and
 * shortened texts end with `…`.
 */
function expectBeginning(cut: Nodes, whole: Nodes | undefined): void {
  expect(cut.type).toBe(whole?.type);
  if (!whole) return;
  if ('value' in cut && 'value' in whole && cut.value !== whole.value) {
    expect(cut.value.endsWith('…')).toBe(true);
    const kept = cut.value.slice(0, -1);
    expect(whole.value.startsWith(kept)).toBe(true);
    // Checks that no grapheme is split.
    expect(graphemes.segment(whole.value).containing(kept.length)?.index).toBe(kept.length);
  }
  if ('children' in cut && 'children' in whole) {
    expect(cut.children.length).toBeLessThanOrEqual(whole.children.length);
    cut.children.forEach((child, index) => {
      expectBeginning(child, whole.children[index]);
    });
  }
}

function expectCut(context: ContextData, ...lengths: readonly number[]): void {
  const whole = pageOf(context);
  const blocks = parse(whole).children;
  for (const maxLength of lengths) {
    const page = pageOf(context, maxLength);
    if (whole.length > maxLength) expectPage(page, maxLength, blocks);
    else expect(page).toBe(whole);
  }
}

function expectPage(page: string, maxLength: number, whole: readonly Nodes[]): void {
  expect(page.length).toBeLessThanOrEqual(maxLength);
  expect(codePoints(page)).toBeLessThanOrEqual(maxLength);
  expect(page.isWellFormed()).toBe(true);
  const { children } = parse(page);
  const notice = children.at(-1);
  expect(notice ? textOf(notice) : '').toMatch(maxLength < LEAST_FOR_A_SENTENCE ? SAYS_SO : SAYS_HOW);
  children.slice(0, -1).forEach((block, index) => {
    expectBeginning(block, whole[index]);
  });
  expect(children.at(-2)?.type).not.toBe('heading');
}

describe('`max_length`', () => {
  const length = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 6000 }));
  const lengths = fc.array(length, { minLength: LENGTHS, maxLength: LENGTHS });

  test('cuts any page of a test to a valid prefix', () => {
    fc.assert(
      fc.property(testShape, hostileTexts, lengths, (shape, texts, some) => {
        expectCut(fillTest(shape, inTurn(texts)), ...some);
      }),
      { numRuns: cases(150, 6) },
    );
  });

  test('cuts any page of a list to a valid prefix', () => {
    fc.assert(
      fc.property(listShape, hostileTexts, lengths, (shape, texts, some) => {
        expectCut(fillRun(shape, inTurn(texts)), ...some);
      }),
      { numRuns: cases(150, 6) },
    );
  });

  test.each([
    ['test', failedTest, 0],
    ['run', failedRun, 1],
    ['instance', failedInstance, 2],
  ] as const)(
    'A page at %s level is at most `max_length` characters long, for values up to the length of the whole page',
    (_, context, row) => {
      const { length } = pageOf(context);
      const lengths = Array.from({ length: 60 }, (_, index) => Math.ceil(((index + 1) * length) / 60));
      expectCut(context, ...sampled(lengths, 3, row));
    },
  );

  test.each([1, 2, 3, 50, 100])(
    'Even `max_length=%i`, which is very small, returns a valid page that says that it was cut',
    (maxLength) => {
      expectCut(failedTest, maxLength);
    },
  );

  test('A page that was cut uses more than 60 % of `max_length`', () => {
    for (const maxLength of [1000, 2000, 5000, 10_000]) {
      expect(pageOf(largeFailure, maxLength).length).toBeGreaterThan(maxLength * 0.6);
    }
  });

  test('changes nothing if it equals the length of the page, and cuts the page if it is one less', () => {
    const whole = pageOf(failedTest);
    expect(pageOf(failedTest, whole.length)).toBe(whole);
    expect(pageOf(failedTest, whole.length - 1)).not.toBe(whole);
  });
});
