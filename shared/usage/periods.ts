/** The periods of time in which requests are counted, in UTC. */
import { USAGE_LIMITS } from './limits.ts';

/** Such as `2026-11`. */
export const formatMonth = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 7);

export const getDayOfMonth = (milliseconds: number): number => new Date(milliseconds).getUTCDate();

export const computeNextMonthStart = (milliseconds: number): number => {
  const date = new Date(milliseconds);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
};

export const computeWindowNumber = (milliseconds: number): number =>
  Math.floor(milliseconds / USAGE_LIMITS.windowMilliseconds);

export const computeWindowStart = (window: number): number => window * USAGE_LIMITS.windowMilliseconds;

export const computeNextWindowStart = (milliseconds: number): number =>
  computeWindowStart(computeWindowNumber(milliseconds) + 1);
