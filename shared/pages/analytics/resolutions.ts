/** How finely Insights divides a period. */
import { formatFullTime, formatShortDate } from '#shared/pages/design/format.tsx';
import { DAY, HOUR } from '#shared/pages/design/time-units.ts';
import { HOURLY_DAYS } from '#shared/pages/shell/limits.ts';
import type { ShownPeriod } from '#shared/pages/shell/list-filters.tsx';

export const RESOLUTIONS = {
  '1h': { name: 'Hours', each: 'per hour', milliseconds: HOUR },
  '1d': { name: 'Days', each: 'per day', milliseconds: DAY },
  '1w': { name: 'Weeks', each: 'per week', milliseconds: 7 * DAY },
} as const;

export type Resolution = keyof typeof RESOLUTIONS;

export const RESOLUTION_NAMES = ['1h', '1d', '1w'] as const satisfies readonly Resolution[];

/** More hours would be thinner than a pixel on a phone, and made the page ten times as large as others. */
export const isTooLongForHours = ({ from, to }: ShownPeriod): boolean => to - from > HOURLY_DAYS * DAY;

export function formatBucketName(at: number, resolution: Resolution): string {
  if (resolution === '1h') return formatFullTime(at);
  return resolution === '1w' ? `week of ${formatShortDate(at)}` : formatShortDate(at);
}

/** With more hours than this, the axis names days, each below its first hour. */
const MOST_HOURS = 48;
const HOURS_BETWEEN = 6;

/** `count`: how many buckets there are. Empty for a bucket that the axis does not name. */
export function formatBucketTick(at: number, resolution: Resolution, count: number): string {
  const hour = new Date(at).getUTCHours();
  if (resolution !== '1h' || hour === 0) return formatShortDate(at);
  return count <= MOST_HOURS && hour % HOURS_BETWEEN === 0 ? `${hour}:00` : '';
}
