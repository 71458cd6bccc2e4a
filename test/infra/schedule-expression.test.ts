import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTimetable } from '#infra/build/schedule-expression.ts';
import { cases } from '#test/harness/cases.ts';

/** The time at which the schedules are created. It is a Monday. */
const MADE = Date.parse('2026-11-02T10:00:00.000Z');
const MINUTE = 60_000;

/** Returns the times of the next runs, to the minute. */
function runs(expression: string, count: number, from = MADE): string[] {
  const { after } = parseTimetable(expression);
  const times: string[] = [];
  for (let time = after(from, MADE); time !== undefined && times.length < count; time = after(time, MADE)) {
    times.push(new Date(time).toISOString().replace(':00.000Z', ''));
  }
  return times;
}

describe('rate(...)', () => {
  test.each([
    ['rate(1 minute)', ['2026-11-02T10:00', '2026-11-02T10:01', '2026-11-02T10:02']],
    ['rate(90 minutes)', ['2026-11-02T10:00', '2026-11-02T11:30', '2026-11-02T13:00']],
    ['rate(12 hours)', ['2026-11-02T10:00', '2026-11-02T22:00', '2026-11-03T10:00']],
    ['rate(1 day)', ['2026-11-02T10:00', '2026-11-03T10:00', '2026-11-04T10:00']],
  ])('%s runs when the schedule is created, and then once per period', (expression, times) => {
    expect(runs(expression, 3, MADE - 1)).toEqual(times);
  });

  test('keeps its interval, however late the next run is computed', () => {
    expect(runs('rate(5 minutes)', 2, MADE + 12.5 * MINUTE)).toEqual(['2026-11-02T10:15', '2026-11-02T10:20']);
    expect(runs('rate(5 minutes)', 1, MADE + 15 * MINUTE)).toEqual(['2026-11-02T10:20']);
  });
});

describe('cron(...)', () => {
  test.each([
    ['every night', 'cron(0 3 * * ? *)', ['2026-11-03T03:00', '2026-11-04T03:00', '2026-11-05T03:00']],
    ['later the same day', 'cron(1 10 * * ? *)', ['2026-11-02T10:01', '2026-11-03T10:01', '2026-11-04T10:01']],
    [
      'the next day if it is already that time',
      'cron(0 10 * * ? *)',
      ['2026-11-03T10:00', '2026-11-04T10:00', '2026-11-05T10:00'],
    ],
    ['increments', 'cron(5/20 * * * ? *)', ['2026-11-02T10:05', '2026-11-02T10:25', '2026-11-02T10:45']],
    ['ranges', 'cron(0 22-23 ? * SAT-SAT *)', ['2026-11-07T22:00', '2026-11-07T23:00', '2026-11-14T22:00']],
    ['Sunday as day 1', 'cron(0 0 ? * 1 *)', ['2026-11-08T00:00', '2026-11-15T00:00', '2026-11-22T00:00']],
    ['working days', 'cron(0 18 ? * MON-FRI *)', ['2026-11-02T18:00', '2026-11-03T18:00', '2026-11-04T18:00']],
    ['working days as 2 to 6', 'cron(0 18 ? * 2-6 *)', ['2026-11-02T18:00', '2026-11-03T18:00', '2026-11-04T18:00']],
    ['months with a 31st only', 'cron(0 0 31 * ? *)', ['2026-12-31T00:00', '2027-01-31T00:00', '2027-03-31T00:00']],
    ['29 February', 'cron(0 0 29 2 ? *)', ['2028-02-29T00:00', '2032-02-29T00:00', '2036-02-29T00:00']],
    ['the last day of a month', 'cron(0 0 L * ? *)', ['2026-11-30T00:00', '2026-12-31T00:00', '2027-01-31T00:00']],
    ['the last day of February', 'cron(0 0 L FEB ? *)', ['2027-02-28T00:00', '2028-02-29T00:00', '2029-02-28T00:00']],
    ['the last day of a week', 'cron(0 0 ? * L *)', ['2026-11-07T00:00', '2026-11-14T00:00', '2026-11-21T00:00']],
    ['the last Thursday', 'cron(0 0 ? * 5L *)', ['2026-11-26T00:00', '2026-12-31T00:00', '2027-01-28T00:00']],
    [
      'the last Thursday by its name',
      'cron(0 0 ? * THUL *)',
      ['2026-11-26T00:00', '2026-12-31T00:00', '2027-01-28T00:00'],
    ],
    ['the second Tuesday', 'cron(0 0 ? * 3#2 *)', ['2026-11-10T00:00', '2026-12-08T00:00', '2027-01-12T00:00']],
    [
      'the working day nearest to the 3rd',
      'cron(0 0 3W * ? *)',
      ['2026-11-03T00:00', '2026-12-03T00:00', '2027-01-04T00:00'],
    ],
    ['one year', 'cron(59 23 31 12 ? 2027)', ['2027-12-31T23:59']],
    ['a year that is over', 'cron(0 0 1 1 ? 2020)', []],
    ['a day that does not exist', 'cron(0 0 30 2 ? *)', []],
    // With daylight saving time, 2027-03-28T02:30 does not exist in Berlin and 2027-10-31T02:30 exists twice.
    ['UTC at the start of summer time', 'cron(30 2 28 3 ? 2027)', ['2027-03-28T02:30']],
    ['UTC at the end of summer time', 'cron(30 2 31 10 ? 2027)', ['2027-10-31T02:30']],
  ])('computes the next runs (%s): %s', (_, expression, times) => {
    expect(runs(expression, 3)).toEqual(times);
  });

  const values = (from: number, to: number) =>
    fc.uniqueArray(fc.integer({ min: from, max: to }), { minLength: 1, maxLength: 4 });
  const calendar = fc.record({
    minutes: values(0, 59),
    hours: values(0, 23),
    days: fc.oneof(fc.record({ ofMonth: values(1, 31) }), fc.record({ ofWeek: values(1, 7) })),
    months: values(1, 12),
    from: fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2040, 0, 1) }),
  });

  test('returns the same times as a day-by-day search of the calendar', () => {
    fc.assert(
      fc.property(calendar, ({ minutes, hours, days, months, from }) => {
        const [ofMonth, ofWeek] = 'ofMonth' in days ? [days.ofMonth, undefined] : [undefined, days.ofWeek];
        const fields = [minutes, hours, ofMonth ?? '?', months, ofWeek ?? '?', '*'].map(String);
        const isDay = (day: Date) =>
          months.includes(day.getUTCMonth() + 1) &&
          (ofMonth?.includes(day.getUTCDate()) ?? ofWeek?.includes(day.getUTCDay() + 1) ?? false);
        let expected: number | undefined;
        const midnight = from - (from % (24 * 60 * MINUTE));
        // Nine years always include a February 29, even around 2100.
        for (let day = 0; day < 9 * 366 && expected === undefined; day += 1) {
          const date = midnight + day * 24 * 60 * MINUTE;
          if (!isDay(new Date(date))) continue;
          const times = hours.flatMap((hour) => minutes.map((minute) => date + (hour * 60 + minute) * MINUTE));
          expected = times.filter((time) => time > from).sort((one, other) => one - other)[0];
        }
        expect(parseTimetable(`cron(${fields.join(' ')})`).after(from, MADE)).toBe(expected);
      }),
      { numRuns: cases(300) },
    );
  });
});

describe('an invalid schedule expression', () => {
  test.each([
    'at(2026-12-24T18:00:00)',
    'rate(0 minutes)',
    'rate(1 week)',
    'rate(1.5 hours)',
    'rate(minute)',
    'cron(0 3 * * ?)',
    'cron(0 3 * * ? * *)',
    'cron(0 3 * * * *)',
    'cron(0 3 ? * ? *)',
    'cron(0 3 ?,1 * * *)',
    'cron(60 3 * * ? *)',
    'cron(0 24 * * ? *)',
    'cron(0 3 32 * ? *)',
    'cron(0 3 0 * ? *)',
    'cron(0 3 * 13 ? *)',
    'cron(0 3 ? * 8 *)',
    'cron(0 3 ? * 0 *)',
    'cron(0 3 ? * MON#6 *)',
    'cron(0 3 LW * ? *)',
    'cron(0 22-2 * * ? *)',
    'cron(0/0 3 * * ? *)',
    'cron(0 3 * * ? 1969)',
    'cron(@daily)',
    '0 3 * * ? *',
    'cron(0 3 * * ? *) ',
    '',
  ])('is refused, and the error lists the valid formats: %j', (expression) => {
    expect(() => parseTimetable(expression)).toThrow(
      `${expression} is not a recurring schedule: write rate(5 minutes), or cron(`,
    );
  });
});
