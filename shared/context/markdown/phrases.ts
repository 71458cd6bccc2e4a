/** Phrases for durations, times, numbers of files and source locations. */

import type { Assets, ErrorInfo, TestContext } from '#shared/context/context-wire.ts';
import { formatPlace } from '#shared/context/format-place.ts';
import { formatCount } from '#shared/engine/format-count.ts';
import { isValidTime } from '#shared/engine/time.ts';
import { type PhrasePart, quote } from './nodes.ts';

const SECOND = 1000;

export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds < 0) return 'never ended';
  if (milliseconds < SECOND) return `${milliseconds} ms`;
  const tenths = Math.round(milliseconds / 100) / 10;
  if (tenths < 60) return `${tenths.toFixed(1)} s`;
  const seconds = Math.round(milliseconds / SECOND);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** The time of day in UTC with milliseconds, without the date. This is enough to order the events of one failure. */
export const formatTimeOfDay = (milliseconds: number): string =>
  isValidTime(milliseconds) ? new Date(milliseconds).toISOString().slice(-13, -1) : `${milliseconds}`;

export const formatLocation = (location: NonNullable<ErrorInfo['location']>): PhrasePart =>
  quote(formatPlace(location));

export const formatAttempt = ({ attempt, totalAttempts }: TestContext['test']): string =>
  `Attempt ${attempt + 1} of ${totalAttempts}`;

export const formatFullTitle = ({ title }: TestContext['test']): PhrasePart => quote(title.join(' > '));

/** The number of files of each kind, such as `1 trace, 2 screenshots`. Returns `undefined` if there are no files. */
export function formatAssetCounts({ totals }: Assets): string | undefined {
  const { traces, screenshots, videos, attachments } = totals;
  const counts = [
    [traces, 'trace'],
    [screenshots, 'screenshot'],
    [videos, 'video'],
    [attachments, 'attachment'],
  ] as const;
  const some = counts.flatMap(([number, name]) => (number > 0 ? [formatCount(number, name)] : []));
  return some.length > 0 ? some.join(', ') : undefined;
}
