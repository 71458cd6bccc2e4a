/** §5.2 Computes the expiry of a personal token: the end of a UTC day, at most one year from today. */
import { invalidRequest } from '#shared/engine/errors.ts';

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;

const getDayEnd = (year: number, month: number, day: number): number => Date.UTC(year, month, day + 1) - 1;

/** The end of the last day that can be chosen: the same date next year, or February 28 if today is February 29. */
function getLastDay(today: Date): number {
  const year = today.getUTCFullYear() + 1;
  const month = today.getUTCMonth();
  const day = today.getUTCDate();
  const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return getDayEnd(year, month, Math.min(day, days));
}

const DAYS: Readonly<Record<string, number>> = { '7d': 7, '30d': 30, '60d': 60, '90d': 90 };

/** The lifetimes that the form offers. A specific day can be chosen instead. */
export const LIFETIMES = [...Object.keys(DAYS), '1y'] as const;
export const DEFAULT_LIFETIME = '30d';

/** The first and the last day that can be chosen, such as `2026-12-24`. */
export function getPossibleDays(now: number): { readonly first: string; readonly last: string } {
  const today = new Date(now);
  return { first: formatDay(getTomorrowEnd(today)), last: formatDay(getLastDay(today)) };
}

const formatDay = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 'YYYY-MM-DD'.length);

const getTomorrowEnd = (today: Date): number =>
  getDayEnd(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + 1);

/** In epoch milliseconds, from one of the `LIFETIMES` or a day such as `2026-12-24`. Otherwise throws 400. */
export function parseTokenExpiry(choice: string, now: number): number {
  const today = new Date(now);
  const until = parseChoice(choice, today);
  if (until === undefined || until < getTomorrowEnd(today) || until > getLastDay(today)) {
    throw invalidRequest(
      'The lifetime of a token must be 7d, 30d, 60d, 90d, 1y, or a future date (YYYY-MM-DD) within one year',
      ['lifetime'],
    );
  }
  return until;
}

function parseChoice(choice: string, today: Date): number | undefined {
  if (choice === '1y') return getLastDay(today);
  const days = Object.hasOwn(DAYS, choice) ? DAYS[choice] : undefined;
  if (days !== undefined) return getDayEnd(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + days);
  const [text, year, month, day] = DAY.exec(choice) ?? [];
  const until = getDayEnd(Number(year), Number(month) - 1, Number(day));
  return text !== undefined && new Date(until).toISOString().startsWith(text) ? until : undefined;
}
