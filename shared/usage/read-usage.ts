/** Reads what an organization has used: requests per day and credential, and stored bytes. */

import { DAY_MILLISECONDS } from '#shared/engine/durations.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import {
  getMonthCredentialsSpan,
  monthsOfRequests,
  type RequestsOfCredential,
  requestsOfCredentials,
  storedBytes,
} from '#shared/model/usage/usage.ts';
import { resolveUsageLimits, type UsageLimits } from '#shared/model/usage/usage-limits.ts';
import { authorizeRead, type OrganizationRequest } from '#shared/organizations/standing.ts';
import type { Services } from '#shared/services.ts';
import { computeNextMonthStart, formatMonth, getDayOfMonth } from './periods.ts';
import { computeStoredBytes } from './stored-bytes.ts';

export interface Usage {
  /** The calendar month in UTC, such as `2026-11`. */
  readonly month: string;
  /** When the month ends, in epoch milliseconds. */
  readonly endsAt: number;
  readonly requests: number;
  readonly refused: number;
  /** The requests of each day of the month. Days after today are left out. */
  readonly days: readonly { readonly at: number; readonly requests: number }[];
  /** The credentials with requests in this month, the busiest first. */
  readonly credentials: readonly RequestsOfCredential[];
  readonly storedBytes: number;
  /** When the stored bytes were last measured, in epoch milliseconds. Absent before the first measurement. */
  readonly measuredAt: number | undefined;
  readonly limits: UsageLimits;
}

export async function readUsage(
  services: Pick<Services, 'table' | 'now' | 'randomId' | 'defaultLimits'>,
  request: OrganizationRequest & {
    /** Whether to read the previous month instead of the current one. */
    readonly isPrevious?: boolean;
  },
): Promise<Usage> {
  const { organization } = await authorizeRead(services, request, 'usage:read');
  const { table, now, defaultLimits } = services;
  const date = new Date(now());
  const start = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - (request.isPrevious ? 1 : 0));
  const key = { organizationId: organization.organizationId, month: formatMonth(start) };
  const monthLookup = makeLookup(monthsOfRequests, key);
  const bytesLookup = makeLookup(storedBytes, key);
  const [rows, credentials] = await Promise.all([
    table.getTogether([monthLookup, bytesLookup]),
    table.queryAll(requestsOfCredentials, getMonthCredentialsSpan(key)),
  ]);
  const counts = rows.of(monthLookup);
  const endsAt = computeNextMonthStart(start);
  const lastDay = getDayOfMonth(Math.min(now(), endsAt - 1));
  return {
    month: key.month,
    endsAt,
    requests: counts?.requests ?? 0,
    refused: counts?.refused ?? 0,
    days: Array.from({ length: lastDay }, (_, index) => ({
      at: start + index * DAY_MILLISECONDS,
      requests: counts?.[`day${index + 1}`] ?? 0,
    })),
    credentials: credentials.toSorted((one, other) => other.requests - one.requests),
    storedBytes: computeStoredBytes(rows.of(bytesLookup)),
    measuredAt: rows.of(bytesLookup)?.measuredAt,
    limits: resolveUsageLimits(organization, defaultLimits),
  };
}
