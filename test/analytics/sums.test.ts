import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeRanges, encodeRanges } from '#shared/analytics/packed-column.ts';
import { Sums } from '#shared/analytics/sums.ts';
import { cases } from '#test/harness/cases.ts';

const value = fc.oneof(fc.constant(0), fc.nat(5), fc.nat(10 ** 12));
const row = fc.record({ number: fc.nat(40), sums: fc.tuple(value, value), largest: fc.tuple(value) });
const FIELDS = { sums: 2, largest: 1 };

function plain(rows: readonly { number: number; sums: readonly number[]; largest: readonly number[] }[]) {
  const sums = new Sums(FIELDS);
  for (const { number, sums: own, largest } of rows) sums.addRow(number, own, largest);
  return sums;
}

test('Totals do not depend on the order or grouping in which rows are added, even if partial totals are stored and read again', () => {
  fc.assert(
    fc.property(fc.array(fc.array(row, { maxLength: 30 }), { maxLength: 6 }), (groups) => {
      const whole = plain(groups.flat());
      const grouped = new Sums(FIELDS);
      for (const group of [...groups].reverse()) grouped.add(JSON.parse(JSON.stringify(plain(group).stored())));
      expect(grouped.rows()).toEqual(whole.rows());
      expect(JSON.stringify(grouped.stored())).toBe(JSON.stringify(whole.stored()));
    }),
    { numRuns: cases(100) },
  );
});

test('Sums add only the rows whose row numbers were selected', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 30 }), fc.nat(40), (rows, limit) => {
      const some = new Sums(FIELDS);
      some.add(plain(rows).stored(), (number) => number < limit);
      expect(some.rows()).toEqual(plain(rows.filter(({ number }) => number < limit)).rows());
    }),
    { numRuns: cases(100) },
  );
});

test('Decoding ranges returns the numbers that were encoded', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(10_000)), (numbers) => {
      const sorted = numbers.sort((one, other) => one - other);
      expect(decodeRanges(encodeRanges(sorted))).toEqual(sorted);
    }),
    { numRuns: cases(100) },
  );
});
