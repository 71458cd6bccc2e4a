/** Errors for organizations and credentials that have reached a limit. */
import { ApiError } from '#shared/engine/errors.ts';

/** Why a request is refused, and when the count starts again. The authorizer passes it to the function. */
export interface Excess {
  readonly kind: 'rate' | 'month';
  readonly limit: number;
  readonly retryAfterSeconds: number;
}

/** As text (`month 1000 3600`), because the authorizer can pass no objects to the function. */
export const encodeExcess = (excess: Excess | undefined): Record<string, string> =>
  excess ? { excess: `${excess.kind} ${excess.limit} ${excess.retryAfterSeconds}` } : {};

export function decodeExcess(context: string | undefined): Excess | undefined {
  if (context === undefined) return undefined;
  const [kind, limit, seconds] = context.split(' ');
  return { kind: kind === 'month' ? 'month' : 'rate', limit: Number(limit), retryAfterSeconds: Number(seconds) };
}

export function limitExceeded({ kind, limit, retryAfterSeconds }: Excess): ApiError {
  const count = limit.toLocaleString('en');
  const headers = { 'Retry-After': String(retryAfterSeconds) };
  if (kind === 'rate') {
    const message = `This credential has exceeded its limit of ${count} requests per minute. Wait as long as Retry-After says, then try again`;
    return new ApiError(429, message, { code: 'rate_limit', headers });
  }
  const message = `Your organization has used up its ${count} requests for this month. The Usage page shows which credentials sent them. Stop those that you do not need, or ask the operator of the service for a higher limit`;
  return new ApiError(429, message, { code: 'monthly_limit', headers });
}

/**
 * 422 instead of 429, because waiting does not help. After a 429, the published reporter would send each file four
 * times, and every job would take almost a minute longer. Test results are still recorded, without their files.
 */
export const storageFull = () =>
  new ApiError(
    422,
    'The storage of your organization is full, so this file is not stored. Results are still recorded. Delete files of old runs, shorten the retention of files, or ask the operator of the service for a higher limit',
    { code: 'STORAGE_FULL' },
  );
