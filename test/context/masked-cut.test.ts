/**
 * Tests that no part of a secret is shown, wherever a text is cut in or near the secret. `sample-leaks.ts` says how
 * many characters count as a part.
 */
import { describe, expect, test } from 'vitest';
import { formatContext } from '#shared/context/markdown/context-text.ts';
import { ContextQuery } from '#shared/context/query-wire.ts';
import { presentContext } from '#shared/context/shown-context.ts';
import { BEGINNING_CUT, cutText, keepOutputEnd, REST_CUT } from '#shared/engine/cut-text.ts';
import { MASKING_LIMITS } from '#shared/masking/limits.ts';
import { LEFT_OUT, maskObjectWithin } from '#shared/masking/mask-object.ts';
import { maskBeginning, maskPieces, maskText } from '#shared/masking/masking.ts';
import { sampled } from '#test/harness/cases.ts';
import { failedTest } from './examples.ts';
import { NOW } from './pairs.ts';
import { leaks } from './sample-leaks.ts';
import { SECRET_SAMPLES } from './secret-samples.ts';

const EMOJI = '\u{1f600}';
/** The tests also cut the text at up to this many characters before and after the secret. */
const AROUND = 3;

const cutsAround = (start: number, length: number, step: number, row: number): readonly number[] =>
  sampled(
    Array.from({ length: length + 2 * AROUND }, (_, index) => start - AROUND + index),
    step,
    row,
  );

describe('A text that is cut', () => {
  test.each(['compact', 'summary'] as const)(
    'Error messages shortened by `detail=%s` show no part of a secret, in JSON or in Markdown',
    (detail) => {
      const limit = detail === 'compact' ? 4000 : 1000;
      const leaked = SECRET_SAMPLES.flatMap(({ before, secret, after }, row) =>
        cutsAround(0, secret.length, 97, row).filter((inside) => {
          const filler = EMOJI.repeat(limit / 2 + 2).slice(-(limit - inside - before.length - 1));
          const message = `${filler}\n${before}${secret}${after}`;
          const context = { ...failedTest, error: { message, stack: message, location: null, snippet: message } };
          const query = ContextQuery.parse({ detail });
          return [JSON.stringify(presentContext(context, query)), formatContext(context, query, { now: NOW })].some(
            (page) => leaks(page, secret),
          );
        }),
      );
      expect(leaked).toEqual([]);
    },
  );

  test('Markdown shortened by `max_length` shows no part of a secret', () => {
    const leaked = SECRET_SAMPLES.flatMap(({ before, secret, after }, row) => {
      const message = `${EMOJI.repeat(40)}\n${before}${secret}${after}`;
      const context = { ...failedTest, error: { message, stack: null, location: null, snippet: null }, steps: [] };
      const textAt = (maxLength?: number) =>
        formatContext(context, ContextQuery.parse({ format: 'md', max_length: maxLength }), { now: NOW });
      const start = textAt().indexOf('[masked: ');
      return cutsAround(start, 200, 127, row).filter((maxLength) => leaks(textAt(maxLength), secret));
    });
    expect(leaked).toEqual([]);
  });

  test('If the size limit for masking is reached in or near a secret, no part of the secret is shown', () => {
    const leaked = SECRET_SAMPLES.flatMap(({ before, secret, after }, row) => {
      const text = `${before}${secret}${after}`;
      return cutsAround(0, text.length + 50, 43, row).filter((room) => {
        const { shown } = maskObjectWithin(
          { first: 'a', pieces: [text.slice(0, 9), text.slice(9)], text, last: text },
          room,
        );
        return leaks(Object.values(shown).flat().join(''), secret);
      });
    });
    expect(leaked).toEqual([]);
  });
});

describe('A text that recording has cut', () => {
  const LIMIT = 8192;
  const words = (characters: number) => 'two articles\n'.repeat(LIMIT).slice(0, characters);

  test.each([
    ['at the cut', 0],
    ['where the shown text ends', MASKING_LIMITS.nearCut.before],
  ])('If the end of a text was cut off during recording, no part of a secret is shown %s', (_, near) => {
    const leaked = SECRET_SAMPLES.flatMap(({ before, secret, after }, row) =>
      cutsAround(0, secret.length, 79, row).filter((inside) => {
        const start = LIMIT - REST_CUT.length - near - inside - before.length - 1;
        const text = `${words(start)}\n${before}${secret}${after}\n${words(LIMIT)}`;
        return leaks(maskText(cutText(text, LIMIT)), secret);
      }),
    );
    expect(leaked).toEqual([]);
  });

  test.each([
    ['at the cut', 0],
    ['where the shown text begins', MASKING_LIMITS.nearCut.after],
  ])('If the beginning of a text was cut off during recording, no part of a secret is shown %s', (_, near) => {
    const limit = 4 * LIMIT;
    const leaked = SECRET_SAMPLES.flatMap(({ before, secret, after }, row) =>
      cutsAround(0, secret.length, 79, row).filter((inside) => {
        const rest = limit - BEGINNING_CUT.length - near - (secret.length - inside) - after.length - 1;
        const text = `${words(limit)}\n${before}${secret}${after}\n${words(rest)}`;
        return [[text], text.split(/(?<=\n)/)].some((pieces) =>
          leaks(maskPieces(keepOutputEnd(pieces, limit)).join(''), secret),
        );
      }),
    );
    expect(leaked).toEqual([]);
  });

  test('A text that is masked before it is cut for a list shows no part of a secret', () => {
    const leaked = SECRET_SAMPLES.flatMap(({ before, secret, after }, row) =>
      cutsAround(0, secret.length, 29, row).filter((inside) => {
        const text = `${words(600 - inside - before.length - 1)}\n${before}${secret}${after}\n${words(LIMIT)}`;
        return [300, 600].some((shown) => leaks(maskBeginning(text, shown), secret));
      }),
    );
    expect(leaked).toEqual([]);
  });

  test('Masking a text whose end was cut off removes only characters close to the cut, and masking the result again changes nothing', () => {
    const shown = maskText(cutText(words(2 * LIMIT), LIMIT));
    expect(words(LIMIT).startsWith(shown.replace(' [the rest is left out]', ''))).toBe(true);
    expect(shown.length).toBeGreaterThan(LIMIT - MASKING_LIMITS.nearCut.before - 50);
    expect(maskText(shown)).toBe(shown);
  });
});

test('A secret that starts in one piece of output and continues in the next is masked as a whole', () => {
  const token = `sk-ant-${'a1B2'.repeat(30)}`;
  expect(maskPieces([token.slice(0, 40), token.slice(40), ' end'])).toEqual(['[masked: Anthropic key]', '', ' end']);
});

test('Texts beyond the size limit for masking are left out completely, and equal texts count only once toward the limit', () => {
  const within = (room: number) =>
    maskObjectWithin({ one: 'a'.repeat(84), two: 'a'.repeat(84), three: 'b', four: 'b' }, room);
  expect(within(200)).toMatchObject({ isWhole: true, shown: { two: 'a'.repeat(84), four: 'b' } });
  expect(within(100)).toMatchObject({
    isWhole: false,
    shown: { two: 'a'.repeat(84), three: LEFT_OUT, four: LEFT_OUT },
  });
});

test('A text with many short Base64 parts that decode to printable ASCII characters is left out, because it would take long to mask', () => {
  const encoded = Array.from({ length: 100 }, (_, index) =>
    Buffer.from(`the total is € ${index} `.padEnd(18)).toString('base64'),
  );
  const printable = Array.from({ length: 100 }, (_, index) =>
    Buffer.from(`the total is ${index}`.padEnd(18)).toString('base64'),
  );
  const within = (texts: readonly string[]) => maskObjectWithin({ text: texts.join(' ') }, 5000);
  // Masking searches a Base64 text for secrets only if the text decodes to printable ASCII characters.
  expect(within(encoded).isWhole).toBe(true);
  expect(within(printable)).toEqual({ isWhole: false, shown: { text: LEFT_OUT } });
});
