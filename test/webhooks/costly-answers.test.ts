import { expect, test } from 'vitest';
import { makeErrorAnswer, parseAnswerJson } from '#shared/sending/answer.ts';

const answered = (text: string) => parseAnswerJson({ ...makeErrorAnswer(''), text });
const MILLION = 1_000_000;

test('The answer of a tracker or code host is read as JSON', () => {
  expect(answered('[{"number":7,"title":"sums"}]')).toEqual([{ number: 7, title: 'sums' }]);
  const titles = Array.from({ length: 100 }, (_, number) => ({ number, title: 'x'.repeat(50_000) }));
  expect(answered(JSON.stringify(titles))).toEqual(titles);
});

test.each([
  ['nested lists', '['.repeat(3 * MILLION) + ']'.repeat(3 * MILLION)],
  ['empty lists', `[${Array.from({ length: 2 * MILLION }, () => '[]').join()}]`],
  ['different names', `[${Array.from({ length: 300_000 }, (_, number) => `{"a${number}":1}`).join()}]`],
])(
  'An answer of millions of %s is not parsed, because it would exhaust the memory that all organizations share',
  (_, text) => {
    expect(answered(text)).toBeUndefined();
  },
);
