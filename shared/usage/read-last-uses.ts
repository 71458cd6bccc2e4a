/**
 * When each credential of an organization was last used, by the samples of its requests: at least one request in 32 is
 * counted. Nobody writes for this, so a credential with few requests may be unknown.
 */
import { getMonthCredentialsSpan, requestsOfCredentials } from '#shared/model/usage/usage.ts';
import type { WithClock } from '#shared/services.ts';
import { computeWindowStart, formatMonth } from './periods.ts';

/** Of this month and the one before, in epoch milliseconds. */
export async function readLastUses(
  { table, now }: WithClock,
  { organizationId }: { readonly organizationId: string },
): Promise<ReadonlyMap<string, number>> {
  const date = new Date(now());
  const months = [-1, 0].map((change) => formatMonth(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + change)));
  const counts = await Promise.all(
    months.map((month) => table.queryAll(requestsOfCredentials, getMonthCredentialsSpan({ organizationId, month }))),
  );
  // Those of the later month replace those of the earlier one.
  return new Map(
    counts
      .flat()
      .flatMap(({ credentialId, window }) =>
        window === undefined ? [] : [[credentialId, computeWindowStart(window)] as const],
      ),
  );
}
