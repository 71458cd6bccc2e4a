/** Compares the counts of requests with the limits of the organization. */
import type { ApiAction } from '#shared/access/actions.ts';
import type { ApiActor } from '#shared/access/actor.ts';
import type { UsageLimits } from '#shared/model/usage/usage-limits.ts';
import type { CachedCounts } from './count-requests.ts';
import type { Excess } from './errors.ts';
import { USAGE_LIMITS } from './limits.ts';
import { computeNextMonthStart, computeNextWindowStart, computeWindowNumber, formatMonth } from './periods.ts';

/** A crossing of 80 % or 100 % of the requests of a month, for the log. */
export interface Crossing {
  readonly organizationId: string;
  readonly month: string;
  readonly percent: number;
  readonly requests: number;
  /** Whether requests are refused above the limit. */
  readonly refuses: boolean;
}

/** The limit that a request exceeds, if it does. */
export function findExcess(
  { refusals, month, inMonth, window, inWindow }: CachedCounts,
  { action, byDefault, now }: { readonly action: ApiAction; readonly byDefault: UsageLimits; readonly now: number },
): Excess | undefined {
  const { requestsPerMonth } = refusals;
  // A reporter drops results after a few refusals, so a lower limit of the organization does not count for recording.
  const keyRequestsPerMinute =
    action === 'record'
      ? Math.max(refusals.keyRequestsPerMinute, byDefault.keyRequestsPerMinute)
      : refusals.keyRequestsPerMinute;
  const countSecondsUntil = (end: number) => Math.max(1, Math.ceil((end - now) / 1000));
  // Recording has a higher limit, so that results are refused last.
  const allowedRequests = action === 'record' ? requestsPerMonth * USAGE_LIMITS.recordingReserve : requestsPerMonth;
  if (month === formatMonth(now) && inMonth >= allowedRequests)
    return { kind: 'month', limit: requestsPerMonth, retryAfterSeconds: countSecondsUntil(computeNextMonthStart(now)) };
  const perWindow = (keyRequestsPerMinute * USAGE_LIMITS.windowMilliseconds) / 60_000;
  if (window === computeWindowNumber(now) && inWindow >= perWindow)
    return {
      kind: 'rate',
      limit: keyRequestsPerMinute,
      retryAfterSeconds: countSecondsUntil(computeNextWindowStart(now)),
    };
  return undefined;
}

/** The database makes all additions one after the other, so exactly one of them crosses a threshold. */
export function findCrossings({ organizationId }: ApiActor, counts: CachedCounts, before: number): Crossing[] {
  const { month, inMonth, limits, refusals } = counts;
  const refuses = Number.isFinite(refusals.requestsPerMonth);
  return [USAGE_LIMITS.warnFrom, 1].flatMap((part) => {
    const threshold = part * limits.requestsPerMonth;
    if (before >= threshold || inMonth < threshold) return [];
    return { organizationId, month, percent: part * 100, requests: inMonth, refuses };
  });
}
