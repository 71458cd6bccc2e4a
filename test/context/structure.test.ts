import { describe, expect, test } from 'vitest';
import type { ContextData } from '#shared/context/context-wire.ts';
import { cases, sampled } from '#test/harness/cases.ts';
import { fillTest, testShape } from './any-context.ts';
import { fillInstance, fillRun, listShape } from './any-list.ts';
import { failedInstance, failedRun, failedTest } from './examples.ts';
import { FRAGMENTS } from './hostile.ts';
import { checkPairs, FOREIGN_KINDS, kindsOf, pageOf } from './pairs.ts';
import { type Outline, outline, parse } from './parse-back.ts';

/** Invisible characters, which no page may contain. Line breaks and tabs are allowed. */
const UNSEEN = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters
  ['controls', /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/],
  ['bidirectional', /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/],
  ['without width', /[\u00ad\u200b-\u200d\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb]/],
  ['fillers', /[\u115f\u1160\u3164\uffa0]/],
  ['tags and selectors', /[\ufe00-\ufe0e]|\ufe0f|[\u{e0000}-\u{e0fff}]/u],
  ['halves', /\p{Surrogate}/u],
] as const;

const holds = (hostile: Outline, harmless: Outline, page: string): void => {
  expect(hostile).toEqual(harmless);
  expect(UNSEEN.filter(([, pattern]) => pattern.test(page)).map(([name]) => name)).toEqual([]);
};

describe('Hostile test content', () => {
  test('cannot change the structure or wording of a page at test level', () =>
    checkPairs(cases(50, 2), testShape, fillTest, holds));
  test('cannot change the structure or wording of a page at instance level', () =>
    checkPairs(cases(50, 2), listShape, fillInstance, holds));
  test('cannot change the structure or wording of a page at run level', () =>
    checkPairs(cases(50, 2), listShape, fillRun, holds));
});

/** Properties whose values the service itself sets. The texts of all other properties are replaced. */
const KEPT = new Set(['level', 'status', 'completionState', 'url']);
const withTexts = (context: ContextData, text: (before: string) => string): ContextData =>
  JSON.parse(JSON.stringify(context), (key, value) =>
    typeof value === 'string' && !KEPT.has(key) ? text(value) : value,
  );

describe.each([
  ['test', failedTest, 0],
  ['instance', failedInstance, 1],
  ['run', failedRun, 2],
] as const)('A page at %s level', (_, context, row) => {
  const harmless = outline(parse(pageOf(withTexts(context, (before) => `word ${before} word`))));

  test.each(sampled(FRAGMENTS, 3, row))(
    'A page with hostile texts differs from a harmless page only inside code: every text contains %j',
    (fragment) => {
      const page = pageOf(withTexts(context, (before) => fragment + before + fragment));
      holds(outline(parse(page)), harmless, page);
    },
  );

  test('A page with hostile texts contains only allowed kinds of Markdown nodes', () => {
    const page = pageOf(withTexts(context, (before) => before + FRAGMENTS.join('')));
    expect([...kindsOf(page)].filter((kind) => FOREIGN_KINDS.has(kind))).toEqual([]);
  });
});

describe('Links', () => {
  test('lead only to files that the service stores, and a `javascript:` address does not become a link', () => {
    const { errorContext: _, ...test } = failedTest;
    const page = pageOf({ ...test, errorContext: { name: 'x', url: 'javascript:alert(1)' } });
    const links = JSON.stringify(outline(parse(page))).match(/"leadsTo":"[^"]*"/g);
    expect(links).toEqual(
      ['trace.zip', 'test-failed-1.png', 'cart.json'].map(
        (file) => `"leadsTo":"https://files.example.com/${file}?signature=abc"`,
      ),
    );
    expect(page).toContain('`x`: the page at the time');
  });
});
