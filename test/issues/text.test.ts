/**
 * The text of issues and comments in the formats of the trackers. In each format, text from test reports must be shown
 * as it is, without mentions, links, commands or markup.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toAdf } from '#shared/issues/text/adf.ts';
import type { TextBlock, TextSpan } from '#shared/issues/text/blocks.ts';
import { toMarkdown } from '#shared/issues/text/markdown.ts';
import { toWiki } from '#shared/issues/text/wiki.ts';
import { OURS } from '#test/context/parse-back.ts';
import { anyCharacter } from '#test/harness/any-character.ts';
import { cases } from '#test/harness/cases.ts';
import { expectInertAdf, expectInertMarkdown, expectInertWiki } from './inert.ts';

const MUCH = 1_000_000;

const HOSTILE = [
  '@acme/everyone',
  '@all',
  '#1',
  '!12',
  '~bug',
  '%"1.0"',
  'acme/shop#7',
  'GH-3',
  'ENG-12',
  'SHOP-1',
  'deadbeef',
  '1234567',
  ':tada:',
  'a:100:b',
  '/close',
  '\n/close\n',
  '/assign @me',
  'https://evil.example/',
  'www.evil.example',
  'mallory@evil.example',
  '[a](https://evil.example)',
  '![a](https://evil.example/x.png)',
  '<img src=x onerror=alert(1)>',
  '<!-- rundown 0 -->',
  '-->',
  '&lt;&#64;',
  '`',
  '``',
  '```',
  '````',
  '\n```\n/close\n',
  '~~~',
  '**b**',
  '__b__',
  '1. ',
  '- ',
  '> ',
  '# ',
  '===',
  '---',
  '| a |',
  '\\',
  '\\@all',
  '$`x`$',
  '[[wiki]]',
  '{+ a +}',
  '[^1]',
  '{noformat}',
  '\n{noformat}\n',
  '{NOFORMAT:title=x}',
  '{code}',
  '{{x}}',
  '{color:red}',
  '[~admin]',
  '[x|https://evil.example]',
  '!https://evil.example/x.png!',
  'h1. ',
  'bq. ',
  '* ',
  '||a||',
  '??a??',
  ':)',
  '(!)',
  '----',
  '{{',
  '}}',
  '\u202e',
  '\u200b',
  '\u001b[31m',
  '\r\n',
  '\u00a0',
] as const;

const hostile = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...HOSTILE) },
      fc.constantFrom(' ', 'word', '12', '.', ','),
      anyCharacter,
    ),
    {
      maxLength: 8,
    },
  )
  .map((parts) => parts.join(''));

const span: fc.Arbitrary<TextSpan> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text: hostile }),
  fc.record({ kind: fc.constant('code' as const), text: hostile }),
  fc.record({
    kind: fc.constant('link' as const),
    text: hostile.map((text) => `x${text}`),
    url: hostile.map((text) => `${OURS}${text.toWellFormed()}`),
  }),
);
const spans = fc.array(span, { maxLength: 4 });
const block: fc.Arbitrary<TextBlock> = fc.oneof(
  fc.record({ kind: fc.constant('paragraph' as const), spans }),
  fc.record({ kind: fc.constant('list' as const), items: fc.array(spans, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('code' as const), text: hostile }),
);
const blocks = fc.array(block, { maxLength: 4 });

describe('The text of an issue', () => {
  test('is complete in the Markdown of GitHub, GitLab and Linear, and contains no mentions, commands or markup from test reports', () => {
    fc.assert(
      fc.property(blocks, (some) => expectInertMarkdown(toMarkdown(some, MUCH), some)),
      { numRuns: cases(3000, 150) },
    );
  });

  test('is complete in the document format of Jira Cloud, and contains no mentions or markup from test reports', () => {
    fc.assert(
      fc.property(blocks, (some) => expectInertAdf(toAdf(some, MUCH), some)),
      { numRuns: cases(3000, 150) },
    );
  });

  test('is complete in the wiki markup of Jira Data Center, and contains no mentions or markup from test reports', () => {
    fc.assert(
      fc.property(blocks, (some) => expectInertWiki(toWiki(some, MUCH), some)),
      { numRuns: cases(3000, 150) },
    );
  });

  test.each(HOSTILE.map((text) => [JSON.stringify(text), text]))(
    'is shown as plain text in every format if it is %s',
    (_, text) => {
      const kinds = ['text', 'code'] as const;
      const some: TextBlock[] = [
        ...kinds.map((kind) => ({ kind: 'paragraph', spans: [{ kind, text }] }) as const),
        { kind: 'list', items: kinds.map((kind) => [{ kind, text }]) },
        { kind: 'code', text },
      ];
      expectInertMarkdown(toMarkdown(some, MUCH), some);
      expectInertAdf(toAdf(some, MUCH), some);
      expectInertWiki(toWiki(some, MUCH), some);
    },
  );

  test('contains plain sentences unchanged in Markdown and wiki markup, without escape characters', () => {
    const some: TextBlock[] = [
      {
        kind: 'paragraph',
        spans: [{ kind: 'text', text: "The test doesn't pass, since 2026-11-27 (3 runs): “Timeout”…" }],
      },
    ];
    expect(toMarkdown(some, MUCH)).toBe("The test doesn't pass, since 2026-11-27 (3 runs): “Timeout”…");
    expect(toWiki([{ kind: 'paragraph', spans: [{ kind: 'text', text: 'It failed, again.' }] }], MUCH)).toBe(
      'It failed, again.',
    );
  });

  test('keeps each line of an entered comment on a line of its own', () => {
    const some: TextBlock[] = [{ kind: 'paragraph', spans: [{ kind: 'text', text: 'one\ntwo\n\nthree' }] }];
    expect(toMarkdown(some, MUCH)).toBe('one\n\ntwo\n\nthree');
    expect(toWiki(some, MUCH)).toBe('one\n\ntwo\n\nthree');
    expect(toAdf(some, MUCH).content).toHaveLength(3);
  });
});

describe('Cutting the text of an issue', () => {
  const error = 'Error: @all\n'.repeat(4000);
  const long: readonly TextBlock[] = [
    { kind: 'paragraph', spans: [{ kind: 'text', text: 'The beginning' }] },
    { kind: 'code', text: error },
    { kind: 'paragraph', spans: [{ kind: 'link', text: 'Failure', url: `${OURS}runs/1` }] },
  ];
  const WRITERS = [
    ['Markdown', (some: readonly TextBlock[], limit: number) => toMarkdown(some, limit)],
    ['a document of Jira Cloud', (some: readonly TextBlock[], limit: number) => JSON.stringify(toAdf(some, limit))],
    ['wiki markup', (some: readonly TextBlock[], limit: number) => toWiki(some, limit)],
  ] as const;

  test.each(WRITERS)(
    'In %s, the code blocks of a text that is too long are shortened, and its links stay',
    (_, write) => {
      const written = write(long, 20_000);
      expect(written.length).toBeLessThanOrEqual(20_000);
      expect(written.length).toBeGreaterThan(19_900);
      expect(written).toContain('[the rest was cut]');
      expect(written).toContain(`${OURS}runs/1`);
    },
  );

  test.each(WRITERS)(
    'In %s, whole blocks are left out if shortening the code blocks is not enough, and code blocks are left out last',
    (_, write) => {
      const many: TextBlock[] = Array.from({ length: 50 }, (_unused, at) => ({
        kind: 'paragraph',
        spans: [{ kind: 'text', text: `Sentence ${at} `.repeat(20) }],
      }));
      const written = write([...many, ...long], 3000);
      expect(written.length).toBeLessThanOrEqual(3000);
      expect(written).toContain('Sentence 0');
      expect(written).not.toContain('Sentence 49');
      expect(written).toContain('The rest was cut');
      expect(written).toContain('[the rest was cut]');
    },
  );

  test.each(WRITERS)('In %s, no text exceeds the allowed length', (_, write) => {
    fc.assert(
      fc.property(blocks, fc.integer({ min: 60, max: 2000 }), (some, limit) => {
        const repeated = [...some, ...some, ...some];
        expect(write(repeated, limit).length).toBeLessThanOrEqual(limit);
      }),
      { numRuns: cases(1000, 40) },
    );
  });
});
