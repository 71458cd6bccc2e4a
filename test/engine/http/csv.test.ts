import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatCsv } from '#shared/engine/http/csv.ts';
import { anyCharacter } from '#test/harness/any-character.ts';
import { cases } from '#test/harness/cases.ts';

type Row = readonly (string | number | null)[];
const file = (...rows: Row[]) =>
  formatCsv(
    [0, 1].map((place) => ({ name: `c${place}`, cell: (row: Row) => row[place] ?? null })),
    rows,
  );

/** Parses a CSV file as RFC 4180 describes. */
function parsed(text: string): string[][] {
  const rows: string[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  let row: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(cell)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

describe('a CSV file', () => {
  test('has a header line, ends each line with CRLF, and quotes the cells that need quotes', () => {
    expect(file(['a "b", c', 1.5], ['two\nlines', null])).toBe('c0,c1\r\n"a ""b"", c",1.5\r\n"two\nlines",\r\n');
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '=HYPERLINK("http://x.example","y")'])(
    'marks %j as text, because a spreadsheet would run it as a formula',
    (text) => {
      expect(parsed(file([text]))[1]?.[0]).toBe(`'${text}`);
    },
  );

  test('contains numbers unchanged, including negative numbers', () => {
    expect(file([-0.5, -1e-7])).toBe('c0,c1\r\n-0.5,-1e-7\r\n');
  });

  test('preserves any text, except that it marks formulas with a leading apostrophe', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string({ unit: anyCharacter }))), (rows) => {
        const unmarked = parsed(file(...rows))
          .slice(1)
          .map((cells) => cells.map((cell, place) => [cell, place] as const));
        const expected = rows.map((cells) => cells.map((cell) => (/^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell)));
        expect(unmarked.map((cells) => cells.map(([cell]) => cell))).toEqual(expected);
      }),
      { numRuns: cases(300) },
    );
  });
});
