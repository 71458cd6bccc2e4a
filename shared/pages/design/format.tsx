/**
 * Formats numbers, durations and times, in English and UTC. On a page, the script replaces the times of `FullTime` with
 * local times.
 */
import type { Html } from '#shared/engine/html/html.ts';

const COUNT = new Intl.NumberFormat('en');

/** Returns a formatter for the day, the month and what the options add, in UTC. */
const inUtc = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC', ...options });
const SHORT_DATE = inUtc({});
const DATE = inUtc({ year: 'numeric' });
const WEEKDAY = inUtc({ weekday: 'long' });
const FULL = inUtc({ year: 'numeric', hour: '2-digit', minute: '2-digit' });

export const countText = (count: number): string => COUNT.format(count);

/** A number with a noun in the singular or plural, such as `1 test` or `2 tests`. */
export const counted = (count: number, noun: string): string => `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;

/** Capitalizes the first letter of a text, for tabs and headings. */
export const titleText = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The difference between two rates in percentage points, such as `1 point` or `42 points`. */
export function pointsText(difference: number): string {
  const number = rateText(difference).replace(' %', '');
  return `${number} ${number === '1' ? 'point' : 'points'}`;
}

/** A rate as text, such as `34 %`, `3.4 %` or `< 0.1 %`. `0 %` means exactly zero. */
export function rateText(rate: number): string {
  const percent = rate * 100;
  if (percent === 0) return '0 %';
  if (percent < 0.1) return '< 0.1 %';
  return `${percent < 10 ? percent.toFixed(1).replace('.0', '') : Math.round(percent)} %`;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration as text, such as `340 ms`, `12.3 s`, `4m 12s` or `1h 05m`. */
export function durationText(milliseconds: number): string {
  if (milliseconds < SECOND) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < MINUTE) return `${(milliseconds / SECOND).toFixed(1)} s`;
  if (milliseconds < HOUR) return `${Math.floor(milliseconds / MINUTE)}m ${padded((milliseconds % MINUTE) / SECOND)}s`;
  return `${Math.floor(milliseconds / HOUR)}h ${padded((milliseconds % HOUR) / MINUTE)}m`;
}

const padded = (value: number): string => String(Math.floor(value)).padStart(2, '0');

interface TimeProps {
  readonly at: string | number;
}

/** A time, such as `21 Nov 2026, 19:05 UTC`. */
export const fullText = (at: string | number): string => `${FULL.format(new Date(at))} UTC`;

/** A time, such as `21 Nov 2026, 19:05 UTC`, which a script replaces with the local time. */
export const FullTime = ({ at }: TimeProps): Html => (
  <time datetime={new Date(at).toISOString()} data-full>
    {fullText(at)}
  </time>
);

/** The time since an event, such as `12 min ago`. `now`: epoch milliseconds. */
export function Ago({ at, now }: TimeProps & { readonly now: number }): Html {
  const date = new Date(at);
  return (
    <time datetime={date.toISOString()} title={fullText(at)}>
      {agoText(now - date.getTime())}
    </time>
  );
}

function agoText(milliseconds: number): string {
  if (milliseconds < MINUTE) return 'just now';
  if (milliseconds < HOUR) return `${Math.floor(milliseconds / MINUTE)} min ago`;
  if (milliseconds < DAY) return `${Math.floor(milliseconds / HOUR)} h ago`;
  const days = Math.floor(milliseconds / DAY);
  return `${days} day${days === 1 ? '' : 's'} ago`;
}

const SIZES = ['bytes', 'KB', 'MB', 'GB'] as const;

export function sizeText(bytes: number): string {
  const power = Math.min(SIZES.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1000 ** power).toFixed(1)} ${SIZES[power]}`;
}

/** The heading of a day in UTC: `Today`, `Yesterday`, `Friday 20 Nov`, or `20 Nov 2025` for days in other years. */
export function dayText(at: number, now: number): string {
  const days = Math.floor(now / DAY) - Math.floor(at / DAY);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  const isThisYear = new Date(at).getUTCFullYear() === new Date(now).getUTCFullYear();
  return isThisYear ? WEEKDAY.format(new Date(at)).replace(',', '') : dateText(at);
}

/** A date without its year, such as `21 Nov`, in UTC. */
export const shortDateText = (at: number): string => SHORT_DATE.format(new Date(at));

/** A date, such as `21 Nov 2026`, in UTC. */
export const dateText = (at: number): string => DATE.format(new Date(at));
