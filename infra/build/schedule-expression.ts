/** Parses `rate(...)` and `cron(...)` as EventBridge Scheduler does, in UTC. */
import { Cron } from 'croner';

export interface Timetable {
  /** The first scheduled time after `instant`, in epoch milliseconds. A rate counts from `createdAt`. */
  readonly after: (instant: number, createdAt: number) => number | undefined;
}

/** Parses an expression. Throws if it is invalid, or if it is `at(...)`, which names a single time. */
export function parseTimetable(expression: string): Timetable {
  const [, kind, fields = ''] = /^(rate|cron)\((.*)\)$/.exec(expression) ?? [];
  const parseFields = kind === 'rate' ? parseRate : parseCron;
  const timetable = kind === undefined ? undefined : parseFields(fields);
  if (timetable) return timetable;
  throw new Error(
    `${expression} is not a recurring schedule: write rate(5 minutes), or cron(<minutes> <hours> <day of month> <month> <day of week> <year>) with ? for one of the days, such as cron(0 3 * * ? *)`,
  );
}

const MINUTE_MILLISECONDS = 60_000;
const UNIT_MINUTES: Readonly<Record<string, number>> = { minute: 1, hour: 60, day: 24 * 60 };

/** The first scheduled time of a rate is the time when the schedule was created, as on AWS. */
function parseRate(text: string): Timetable | undefined {
  const [, value, unit = ''] = /^([1-9]\d{0,4}) (minute|hour|day)s?$/.exec(text) ?? [];
  if (value === undefined) return undefined;
  const period = Number(value) * (UNIT_MINUTES[unit] ?? 0) * MINUTE_MILLISECONDS;
  return { after: (instant, createdAt) => createdAt + (Math.floor((instant - createdAt) / period) + 1) * period };
}

/** Each item is `*`, a value or a range, each with an optional increment, or matches a pattern in `others`. */
const list = (value: string, others: readonly string[] = []): string => {
  const item = [`(\\*|(${value})(-(${value}))?)(/[1-9]\\d?)?`, ...others].join('|');
  return `(${item})(,(${item}))*`;
};

const DAY = '0?[1-9]|[12]\\d|3[01]';
const MONTH = '0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC';
const WEEKDAY = '[1-7]|SUN|MON|TUE|WED|THU|FRI|SAT';

/** Fields are checked before the library parses the expression, because the library accepts more than AWS does. */
const FIELDS = [
  list('[0-5]?\\d'),
  list('[01]?\\d|2[0-3]'),
  `\\?|${list(DAY, ['L', `(${DAY})W`])}`,
  list(MONTH),
  `\\?|${list(WEEKDAY, ['L', `(${WEEKDAY})L`, `(${WEEKDAY})#[1-5]`])}`,
  list('19[7-9]\\d|2[01]\\d\\d'),
].map((field) => new RegExp(`^(${field})$`));

function parseCron(text: string): Timetable | undefined {
  const fields = text.split(' ');
  const [minutes, hours, dayOfMonth = '', month, dayOfWeek = '', year, ...more] = fields;
  const isSound = more.length === 0 && FIELDS.every((field, place) => field.test(fields[place] ?? ''));
  if (!isSound || (dayOfMonth === '?') === (dayOfWeek === '?')) return undefined;
  const days = [toCronDay(dayOfMonth), month, toCronDay(dayOfWeek).split(',').map(toCronWeekday).join()];
  const times = parsePattern(['0', minutes, hours, ...days, year].join(' '));
  return times && { after: (instant) => times.nextRun(new Date(instant))?.getTime() };
}

const toCronDay = (field: string): string => (field === '?' ? '*' : field);

/** The cron library writes AWS's `FRIL` (last Friday of the month) as `FRI#L`, and has no `L` for Saturday. */
const toCronWeekday = (weekday: string): string => (weekday === 'L' ? 'SAT' : weekday.replace(/L$/, '#L'));

/** `undefined` for descending ranges and increments beyond the range of the field, which the library rejects. */
function parsePattern(pattern: string): Cron | undefined {
  try {
    return new Cron(pattern, { timezone: 'UTC', mode: '7-part', alternativeWeekdays: true, sloppyRanges: true });
  } catch {
    return undefined;
  }
}
