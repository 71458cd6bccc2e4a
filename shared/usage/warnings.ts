/**
 * The warnings that Admins see on the pages of their organization. They are computed for each page, so nothing is sent.
 */
import { type LookupResult, makeLookup } from '#shared/engine/table/found.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import { monthsOfRequests, storedBytes } from '#shared/model/usage/usage.ts';
import { type DefaultLimits, resolveRefusals, resolveUsageLimits } from '#shared/model/usage/usage-limits.ts';
import { USAGE_LIMITS } from './limits.ts';
import { formatMonth } from './periods.ts';
import { computeStoredBytes } from './stored-bytes.ts';

/** A limit of which an organization has used 80 % or more. */
export interface UsageWarning {
  readonly of: 'requests' | 'storage';
  readonly used: number;
  readonly limit: number;
  /** Whether something is refused above the limit. */
  readonly refuses: boolean;
}

/** The rows that `listUsageWarnings` needs. */
export const makeWarningLookups = ({ organizationId }: Pick<Organization, 'organizationId'>, now: number) =>
  [
    makeLookup(monthsOfRequests, { organizationId, month: formatMonth(now) }),
    makeLookup(storedBytes, { organizationId }),
  ] as const;

export function listUsageWarnings(
  organization: Organization,
  rows: LookupResult,
  { now, byDefault }: { readonly now: number; readonly byDefault: DefaultLimits },
): UsageWarning[] {
  const { requestsPerMonth, storedBytes: bytes } = resolveUsageLimits(organization, byDefault);
  const refusals = resolveRefusals(organization, byDefault);
  const [monthLookup, bytesLookup] = makeWarningLookups(organization, now);
  const all: UsageWarning[] = [
    {
      of: 'requests',
      used: rows.of(monthLookup)?.requests ?? 0,
      limit: requestsPerMonth,
      refuses: Number.isFinite(refusals.requestsPerMonth),
    },
    {
      of: 'storage',
      used: computeStoredBytes(rows.of(bytesLookup)),
      limit: bytes,
      refuses: Number.isFinite(refusals.storedBytes),
    },
  ];
  return all.filter(({ used, limit }) => used >= USAGE_LIMITS.warnFrom * limit);
}
