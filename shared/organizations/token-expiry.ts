/** §5.2 Computes the expiry of a personal token: the end of a UTC day, at most one year from today. */
import { invalidRequest } from '#shared/engine/errors.ts';

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;

const endOf = (year: number, month: number, day: number): number => Date.UTC(year, month, day + 1) - 1;

/** The end of the last day that can be chosen: the same date next year, or February 28 if today is February 29. */
function lastDay(today: Date): number {
  const year = today.getUTCFullYear() + 1;
  const month = today.getUTCMonth();
  const day = today.getUTCDate();
  const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return endOf(year, month, Math.min(day, days));
}

const DAYS: Readonly<Record<string, number>> = { '7d': 7, '30d': 30, '60d': 60, '90d': 90 };

/** The lifetimes that the form offers. A specific day can be chosen instead. */
export const LIFETIMES = [...Object.keys(DAYS), '1y'] as const;
export const DEFAULT_LIFETIME = '30d';

/** The first and the last day that can be chosen, such as `2026-12-24`. */
export function possibleDays(now: number): { readonly first: string; readonly last: string } {
  const today = new Date(now);
  return { first: dayOf(tomorrow(today)), last: dayOf(lastDay(today)) };
}

const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 'YYYY-MM-DD'.length);

const tomorrow = (today: Date): number => endOf(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + 1);

/**
 * The expiry of a token in epoch milliseconds. `choice`: `7d`, `30d`, `60d`, `90d`, `1y` or a day such as `2026-12-24`.
 * Throws 400 for any other value.
 */
export function validUntilOf(choice: string, now: number): number {
  const today = new Date(now);
  const until = chosen(choice, today);
  if (until === undefined || until < tomorrow(today) || until > lastDay(today)) {
    throw invalidRequest(
      'The lifetime of a token must be 7d, 30d, 60d, 90d, 1y, or a future date (YYYY-MM-DD) within one year',
      ['lifetime'],
    );
  }
  return until;
}

function chosen(choice: string, today: Date): number | undefined {
  if (choice === '1y') return lastDay(today);
  const days = Object.hasOwn(DAYS, choice) ? DAYS[choice] : undefined;
  if (days !== undefined) return endOf(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + days);
  const [text, year, month, day] = DAY.exec(choice) ?? [];
  const until = endOf(Number(year), Number(month) - 1, Number(day));
  return text !== undefined && new Date(until).toISOString().startsWith(text) ? until : undefined;
}
