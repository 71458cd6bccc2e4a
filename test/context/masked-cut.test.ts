/** A secret near a cut: nothing of it is shown, wherever the cut is. */
import { describe, expect, test } from 'vitest';
import { contextText } from '#shared/context/markdown/context-text.ts';
import { LEFT_OUT, maskedWithin } from '#shared/context/masking.ts';
import { ContextQuery } from '#shared/context/query-wire.ts';
import { shownContext } from '#shared/context/shown-context.ts';
import { sampled } from '#test/harness/cases.ts';
import { failedTest } from './examples.ts';
import { NOW } from './pairs.ts';
import { SECRET_SAMPLES } from './secret-samples.ts';

const EMOJI = '\u{1f600}';
/** How far before and after the secret the cut moves. */
const AROUND = 3;

/** Beginnings of secrets such as `eyJ` are no secret. */
const leaks = (page: string, secret: string): boolean =>
  page.includes(secret.slice(0, 12)) || page.includes(secret.slice(-12)) || page.includes(secret);

const cutsAround = (start: number, length: number, step: number, row: number): readonly number[] =>
  sampled(
    Array.from({ length: length + 2 * AROUND }, (_, index) => start - AROUND + index),
    step,
    row,
  );

describe('No part of a secret is shown where a text is cut:', () => {
  test.each(['compact', 'summary'] as const)(
    'error messages shortened by `detail=%s`, as JSON and Markdown',
    (detail) => {
      const limit = detail === 'compact' ? 4000 : 1000;
      const leaked = SECRET_SAMPLES.flatMap(({ before, secret, after }, row) =>
        cutsAround(0, secret.length, 23, row).filter((inside) => {
          const filler = EMOJI.repeat(limit / 2 + 2).slice(-(limit - inside - before.length - 1));
          const message = `${filler}\n${before}${secret}${after}`;
          const context = { ...failedTest, error: { message, stack: message, location: null, snippet: message } };
          const query = ContextQuery.parse({ detail });
          return [JSON.stringify(shownContext(context, query)), contextText(context, query, { now: NOW })].some(
            (page) => leaks(page, secret),
          );
        }),
      );
      expect(leaked).toEqual([]);
    },
  );

  test('Markdown shortened by `max_length`', () => {
    const leaked = SECRET_SAMPLES.flatMap(({ before, secret, after }, row) => {
      const message = `${EMOJI.repeat(40)}\n${before}${secret}${after}`;
      const context = { ...failedTest, error: { message, stack: null, location: null, snippet: null }, steps: [] };
      const textAt = (maxLength?: number) =>
        contextText(context, ContextQuery.parse({ format: 'md', max_length: maxLength }), { now: NOW });
      const start = textAt().indexOf('[masked: ');
      return cutsAround(start, 200, 29, row).filter((maxLength) => leaks(textAt(maxLength), secret));
    });
    expect(leaked).toEqual([]);
  });

  test('the last text that an answer may mask', () => {
    const leaked = SECRET_SAMPLES.flatMap(({ before, secret, after }, row) => {
      const text = `${before}${secret}${after}`;
      return cutsAround(0, text.length + 50, 11, row).filter((room) => {
        const { shown } = maskedWithin(
          { first: 'a', pieces: [text.slice(0, 9), text.slice(9)], text, last: text },
          room,
        );
        return leaks(Object.values(shown).flat().join(''), secret);
      });
    });
    expect(leaked).toEqual([]);
  });
});

test('Texts beyond the room are left out whole, and repeated texts count once', () => {
  const of = (room: number) => maskedWithin({ one: 'a'.repeat(84), two: 'a'.repeat(84), three: 'b', four: 'b' }, room);
  expect(of(200)).toMatchObject({ isWhole: true, shown: { two: 'a'.repeat(84), four: 'b' } });
  expect(of(100)).toMatchObject({ isWhole: false, shown: { two: 'a'.repeat(84), three: LEFT_OUT, four: LEFT_OUT } });
});

test('many short texts in Base64 are left out before they cost more than ordinary text', () => {
  const encoded = Array.from({ length: 100 }, (_, index) =>
    Buffer.from(`the total is € ${index} `.padEnd(18)).toString('base64'),
  );
  const printable = Array.from({ length: 100 }, (_, index) =>
    Buffer.from(`the total is ${index}`.padEnd(18)).toString('base64'),
  );
  const within = (texts: readonly string[]) => maskedWithin({ text: texts.join(' ') }, 5000);
  // Bytes that are no text are not searched.
  expect(within(encoded).isWhole).toBe(true);
  expect(within(printable)).toEqual({ isWhole: false, shown: { text: LEFT_OUT } });
});
