/**
 * The warnings that Admins see on the pages of their organization. They are computed for each page, so nothing is sent.
 */
import { type LookupResult, makeLookup } from '#shared/engine/table/found.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import { monthsOfRequests, storedBytes } from '#shared/model/organizations/usage.ts';
import { resolveUsageLimits, type UsageLimits } from '#shared/model/organizations/usage-limits.ts';
import { USAGE_LIMITS } from './limits.ts';
import { monthOf } from './periods.ts';
import { bytesIn } from './stored-bytes.ts';

/** A limit of which an organization has used 80 % or more. */
export interface UsageWarning {
  readonly of: 'requests' | 'storage';
  readonly used: number;
  readonly limit: number;
}

/** The rows that `usageWarnings` needs. */
export const warningLookups = ({ organizationId }: Pick<Organization, 'organizationId'>, now: number) =>
  [
    makeLookup(monthsOfRequests, { organizationId, month: monthOf(now) }),
    makeLookup(storedBytes, { organizationId }),
  ] as const;

export function usageWarnings(
  { organizationId, limits }: Organization,
  found: LookupResult,
  { now, byDefault }: { readonly now: number; readonly byDefault: UsageLimits },
): UsageWarning[] {
  const effective = resolveUsageLimits(limits, byDefault);
  const [ofMonth, stored] = warningLookups({ organizationId }, now);
  const all: UsageWarning[] = [
    { of: 'requests', used: found.of(ofMonth)?.requests ?? 0, limit: effective.requestsPerMonth },
    { of: 'storage', used: bytesIn(found.of(stored)), limit: effective.storedBytes },
  ];
  return all.filter(({ used, limit }) => used >= USAGE_LIMITS.warnFrom * limit);
}
