/**
 * The warnings that Admins see on the pages of their organization. They are computed for each page, so nothing is sent.
 */
import { type LookupResult, makeLookup } from '#shared/engine/table/found.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import { monthsOfRequests, storedBytes } from '#shared/model/usage/usage.ts';
import { resolveUsageLimits, type UsageLimits } from '#shared/model/usage/usage-limits.ts';
import { USAGE_LIMITS } from './limits.ts';
import { formatMonth } from './periods.ts';
import { computeStoredBytes } from './stored-bytes.ts';

/** A limit of which an organization has used 80 % or more. */
export interface UsageWarning {
  readonly of: 'requests' | 'storage';
  readonly used: number;
  readonly limit: number;
}

/** The rows that `listUsageWarnings` needs. */
export const makeWarningLookups = ({ organizationId }: Pick<Organization, 'organizationId'>, now: number) =>
  [
    makeLookup(monthsOfRequests, { organizationId, month: formatMonth(now) }),
    makeLookup(storedBytes, { organizationId }),
  ] as const;

export function listUsageWarnings(
  { organizationId, limits }: Organization,
  rows: LookupResult,
  { now, byDefault }: { readonly now: number; readonly byDefault: UsageLimits },
): UsageWarning[] {
  const effective = resolveUsageLimits(limits, byDefault);
  const [monthLookup, bytesLookup] = makeWarningLookups({ organizationId }, now);
  const all: UsageWarning[] = [
    { of: 'requests', used: rows.of(monthLookup)?.requests ?? 0, limit: effective.requestsPerMonth },
    { of: 'storage', used: computeStoredBytes(rows.of(bytesLookup)), limit: effective.storedBytes },
  ];
  return all.filter(({ used, limit }) => used >= USAGE_LIMITS.warnFrom * limit);
}
