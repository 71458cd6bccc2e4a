/**
 * Formats numbers, durations and times, in English and UTC. On a page, the script replaces the times of `FullTime` with
 * local times.
 */
import type { Html } from '#shared/engine/html/html.ts';
import { DAY, HOUR, MINUTE, SECOND } from './time-units.ts';

const COUNT = new Intl.NumberFormat('en');

const makeUtcFormat = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC', ...options });
const SHORT_DATE = makeUtcFormat({});
const DATE = makeUtcFormat({ year: 'numeric' });
const WEEKDAY = makeUtcFormat({ weekday: 'long' });
const FULL = makeUtcFormat({ year: 'numeric', hour: '2-digit', minute: '2-digit' });

export const formatCount = (count: number): string => COUNT.format(count);

/** A number with a noun in the singular or plural, such as `1 test` or `2 tests`. */
export const formatQuantity = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

export const toSentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The difference between two rates in percentage points, such as `1 point` or `42 points`. */
export function formatPoints(difference: number): string {
  const number = formatRate(difference).replace(' %', '');
  return `${number} ${number === '1' ? 'point' : 'points'}`;
}

/** A rate as text, such as `34 %`, `3.4 %` or `< 0.1 %`. `0 %` means exactly zero. */
export function formatRate(rate: number): string {
  const percent = rate * 100;
  if (percent === 0) return '0 %';
  if (percent < 0.1) return '< 0.1 %';
  return `${percent < 10 ? percent.toFixed(1).replace('.0', '') : Math.round(percent)} %`;
}

/** A duration as text, such as `340 ms`, `12.3 s`, `4m 12s` or `1h 05m`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < SECOND) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < MINUTE) return `${(milliseconds / SECOND).toFixed(1)} s`;
  if (milliseconds < HOUR)
    return `${Math.floor(milliseconds / MINUTE)}m ${padTwoDigits((milliseconds % MINUTE) / SECOND)}s`;
  return `${Math.floor(milliseconds / HOUR)}h ${padTwoDigits((milliseconds % HOUR) / MINUTE)}m`;
}

/** A round duration at the axis of a chart, such as `500 ms`, `20 s`, `5 min` or `2 h`. */
export function formatTick(milliseconds: number): string {
  if (milliseconds === 0) return '0';
  if (milliseconds < SECOND) return `${milliseconds} ms`;
  if (milliseconds < MINUTE) return `${milliseconds / SECOND} s`;
  if (milliseconds < HOUR) return `${Math.round((10 * milliseconds) / MINUTE) / 10} min`;
  return `${Math.round((10 * milliseconds) / HOUR) / 10} h`;
}

const padTwoDigits = (value: number): string => String(Math.floor(value)).padStart(2, '0');

interface TimeProps {
  readonly at: string | number;
}

/** A time, such as `21 Nov 2026, 19:05 UTC`. */
export const formatFullTime = (at: string | number): string => `${FULL.format(new Date(at))} UTC`;

/** The footer names the zone. The text is as long with script as without, so that nothing moves. */
export const FullTime = ({ at }: TimeProps): Html => (
  <time datetime={new Date(at).toISOString()} data-full title={formatFullTime(at)}>
    {FULL.format(new Date(at))}
  </time>
);

/** The time since an event, such as `12 min ago`. `now`: epoch milliseconds. */
export function Ago({ at, now }: TimeProps & { readonly now: number }): Html {
  const date = new Date(at);
  return (
    <time datetime={date.toISOString()} title={formatFullTime(at)}>
      {formatAgo(now - date.getTime())}
    </time>
  );
}

function formatAgo(milliseconds: number): string {
  if (milliseconds < MINUTE) return 'just now';
  if (milliseconds < HOUR) return `${Math.floor(milliseconds / MINUTE)} min ago`;
  if (milliseconds < DAY) return `${Math.floor(milliseconds / HOUR)} h ago`;
  const days = Math.floor(milliseconds / DAY);
  return `${days} day${days === 1 ? '' : 's'} ago`;
}

const SIZES = ['bytes', 'KB', 'MB', 'GB'] as const;

export function formatSize(bytes: number): string {
  const power = Math.min(SIZES.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1000 ** power).toFixed(1)} ${SIZES[power]}`;
}

/** The day of a time in UTC, as addresses and date fields have it, such as `2026-11-21`. */
export const toIsoDay = (at: number): string => new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length);

/** The heading of a day in UTC: `Today`, `Yesterday`, `Friday 20 Nov`, or `20 Nov 2025` for days in other years. */
export function formatDay(at: number, now: number): string {
  const days = Math.floor(now / DAY) - Math.floor(at / DAY);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  const isThisYear = new Date(at).getUTCFullYear() === new Date(now).getUTCFullYear();
  return isThisYear ? WEEKDAY.format(new Date(at)).replace(',', '') : formatDate(at);
}

/** A date without its year, such as `21 Nov`, in UTC. */
export const formatShortDate = (at: number): string => SHORT_DATE.format(new Date(at));

/** A date, such as `21 Nov 2026`, in UTC. */
export const formatDate = (at: number): string => DATE.format(new Date(at));
