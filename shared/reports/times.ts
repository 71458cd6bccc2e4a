/** Parses times and durations as report files write them. */
import { plausibleStart } from '#shared/ingest/attempt-times.ts';
import { REPORT_LIMITS } from './limits.ts';

const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1000],
  ['s', 1000],
  ['ms', 1],
  ['us', 1 / 1000],
  ['µs', 1 / 1000],
  ['μs', 1 / 1000],
  ['ns', 1 / 1_000_000],
]);
const WITH_UNIT = /^([-+\d.,e]+) ?([a-zµμ]{0,2})$/i;
/** A clock (`00:01:02.500`), and hours, minutes and seconds of an ISO 8601 duration (`PT1M2.5S`). */
const CLOCK = /^(?:(\d{1,6}):)?(\d{1,2}):(\d{1,2}(?:[.,]\d{1,9})?)$/;
const ISO_DURATION = /^PT(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6}(?:[.,]\d{1,9})?)S)?$/;

/**
 * Converts a duration to milliseconds: seconds as decimal text, such as `0.012`, `4.9e-05` and `3,226.156`, a number with
 * a unit, a clock or an ISO 8601 duration. Returns 0 for other texts.
 */
export function secondsIn(text: string | undefined): number {
  const written = (text ?? '').trim().replace(/^<time>([^<]*)<\/time>$/, '$1');
  const [, hours = '0', minutes = '0', seconds = '0'] = CLOCK.exec(written) ?? ISO_DURATION.exec(written) ?? [];
  const [, number = '', unit = ''] = WITH_UNIT.exec(written) ?? [];
  if (number !== '') return millisecondsOf(numberIn(number) * (UNITS.get(unit.toLowerCase()) ?? Number.NaN));
  return millisecondsOf((Number(hours) * 3600 + Number(minutes) * 60 + numberIn(seconds)) * 1000);
}

/**
 * A number with a decimal point or comma. Of two different separators, the last one is the decimal separator. A comma
 * before three digits separates thousands, unless a zero precedes it: nobody writes 160 as `0,160`.
 */
function numberIn(text: string): number {
  const isDecimalComma = text.includes('.')
    ? text.lastIndexOf(',') > text.lastIndexOf('.')
    : !/^[-+]?[1-9]\d{0,2}(?:,\d{3})+$/.test(text);
  return Number(isDecimalComma ? text.replaceAll('.', '').replace(',', '.') : text.replaceAll(',', ''));
}

/** Rounds a duration to whole milliseconds, and limits it. An invalid duration is 0. */
export const millisecondsOf = (value: number): number =>
  Number.isFinite(value) && value > 0 ? Math.min(Math.round(value), REPORT_LIMITS.longestDuration) : 0;

/** Converts a clock reading to epoch milliseconds. `localTime` is the reading as if the clock showed UTC. */
export type Zone = (localTime: number) => number;
export const UTC: Zone = (localTime) => localTime;

const OFFSET = /^([+-])(\d{2}):?(\d{2})$/;

/** The time zone with this IANA name or offset. An unknown name means UTC. */
export function zoneOf(name: string | undefined): Zone {
  if (name === undefined || name === 'Z') return UTC;
  const offset = OFFSET.exec(name);
  if (offset) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return (localTime) => localTime - (offset[1] === '-' ? -minutes : minutes) * 60_000;
  }
  const format = formatOf(name);
  return format ? (localTime) => localTime - offsetAt(format, localTime - offsetAt(format, localTime)) : UTC;
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
}

/** The offset of a zone at a time, in milliseconds. */
function offsetAt(format: Intl.DateTimeFormat, time: number): number {
  const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === '-' ? -size : size;
}

const ISO = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:[.,](\d{1,9}))?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/;
/** TestNG leaves the day of the week out. */
const RFC_1123 = /^(?:\w{3}, )?\d{1,2} \w{3} \d{4} \d{2}:\d{2}:\d{2} (?:GMT|UTC|[+-]\d{4})$/;

/**
 * Parses a time to epoch milliseconds. Returns `null` for text that is not a time, and for a time that is far from
 * `now`, when the report arrived.
 */
export function timeIn(text: string | undefined, zone: Zone, now: number): number | null {
  const written = (text ?? '').trim();
  if (RFC_1123.test(written)) return plausibleStart(Date.parse(written), now);
  const [, day, clock, fraction = '0', offset] = ISO.exec(written) ?? [];
  if (day === undefined) return null;
  const local = Date.parse(`${day}T${clock}.${fraction.padEnd(3, '0').slice(0, 3)}Z`);
  if (Number.isNaN(local)) return null;
  return plausibleStart((offset === undefined ? zone : zoneOf(offset))(local), now);
}

/**
 * Converts a time in milliseconds or seconds to epoch milliseconds, because some writers use seconds. Returns `null`
 * for a time that is missing, not positive, or far from `now`, when the report arrived.
 */
export function epochIn(value: number | undefined, now: number): number | null {
  if (value === undefined || value <= 0) return null;
  return plausibleStart(value < MILLISECONDS_FROM ? value * 1000 : value, now);
}
const MILLISECONDS_FROM = 10 ** 11;
