/** The periods of time in which requests are counted, in UTC. */
import { USAGE_LIMITS } from './limits.ts';

/** The calendar month, such as `2026-11`. */
export const monthOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 7);

/** The day of the month, from 1 to 31. */
export const dayOf = (milliseconds: number): number => new Date(milliseconds).getUTCDate();

export const startOfNextMonth = (milliseconds: number): number => {
  const date = new Date(milliseconds);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
};

/** The number of the window of time in which the rate of a credential is counted. */
export const windowOf = (milliseconds: number): number => Math.floor(milliseconds / USAGE_LIMITS.windowMilliseconds);

export const startOfNextWindow = (milliseconds: number): number =>
  (windowOf(milliseconds) + 1) * USAGE_LIMITS.windowMilliseconds;
