/** Parses times and durations as report files write them. */
import { toPlausibleStart } from '#shared/ingest/attempt-times.ts';
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

/** A time may stand in an escaped element. */
const TIME_ELEMENT = /^<time>([^<]*)<\/time>$/;

/**
 * Returns milliseconds. The text has seconds such as `4.9e-05` or `3,226.156`, a number with a unit, a clock, or an
 * ISO 8601 duration. The duration of any other text is 0.
 */
export function parseDuration(text: string | undefined): number {
  const durationText = (text ?? '').trim().replace(TIME_ELEMENT, '$1');
  const [, number, unit = ''] = WITH_UNIT.exec(durationText) ?? [];
  if (number !== undefined) {
    const factor = UNITS.get(unit.toLowerCase());
    return factor === undefined ? 0 : roundDuration(parseNumber(number) * factor);
  }
  const parts = CLOCK.exec(durationText) ?? ISO_DURATION.exec(durationText) ?? [];
  const [, hours = '0', minutes = '0', seconds = '0'] = parts;
  // A clock has no thousands, so its comma is decimal.
  const wholeSeconds = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds.replace(',', '.'));
  return roundDuration(wholeSeconds * 1000);
}

/** The last of two separators is decimal. A comma before three digits separates thousands, but not in `0,160`. */
function parseNumber(text: string): number {
  const isDecimalComma = text.includes('.')
    ? text.lastIndexOf(',') > text.lastIndexOf('.')
    : !/^[-+]?[1-9]\d{0,2}(?:,\d{3})+$/.test(text);
  return Number(isDecimalComma ? text.replaceAll('.', '').replace(',', '.') : text.replaceAll(',', ''));
}

/** Rounds a duration to whole milliseconds, and limits it. An invalid duration is 0. */
export const roundDuration = (value: number): number =>
  Number.isFinite(value) && value > 0 ? Math.min(Math.round(value), REPORT_LIMITS.longestDuration) : 0;

/** Converts a clock reading to epoch milliseconds. `localTime` is the reading as if the clock showed UTC. */
export type Zone = (localTime: number) => number;
export const UTC: Zone = (localTime) => localTime;

const OFFSET = /^([+-])(\d{2}):?(\d{2})$/;

/** The time zone with this IANA name or offset. An unknown name means UTC. */
export function getZone(name: string | undefined): Zone {
  if (name === undefined || name === 'Z') return UTC;
  const offset = OFFSET.exec(name);
  if (offset) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return (localTime) => localTime - (offset[1] === '-' ? -minutes : minutes) * 60_000;
  }
  const format = makeZoneFormat(name);
  return format ? (localTime) => localTime - computeOffset(format, localTime - computeOffset(format, localTime)) : UTC;
}

function makeZoneFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
}

/** The offset of a zone at a time, in milliseconds. */
function computeOffset(format: Intl.DateTimeFormat, time: number): number {
  const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === '-' ? -size : size;
}

const ISO = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:[.,](\d{1,9}))?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/;
/** TestNG leaves the day of the week out. */
const RFC_1123 = /^(?:\w{3}, )?\d{1,2} \w{3} \d{4} \d{2}:\d{2}:\d{2} (?:GMT|UTC|[+-]\d{4})$/;

/** In epoch milliseconds. `null` for other texts, and for a time far from `now`, when the report arrived. */
export function parseTime(text: string | undefined, zone: Zone, now: number): number | null {
  const timeText = (text ?? '').trim();
  if (RFC_1123.test(timeText)) return toPlausibleStart(Date.parse(timeText), now);
  const [, day, clock, fraction = '0', offset] = ISO.exec(timeText) ?? [];
  if (day === undefined) return null;
  const localTime = Date.parse(`${day}T${clock}.${fraction.padEnd(3, '0').slice(0, 3)}Z`);
  if (Number.isNaN(localTime)) return null;
  return toPlausibleStart((offset === undefined ? zone : getZone(offset))(localTime), now);
}

/** Some writers use seconds. `null` if missing, not positive, or far from `now`, when the report arrived. */
export function toEpoch(value: number | undefined, now: number): number | null {
  if (value === undefined || value <= 0) return null;
  return toPlausibleStart(value < MILLISECONDS_FROM ? value * 1000 : value, now);
}
const MILLISECONDS_FROM = 10 ** 11;
