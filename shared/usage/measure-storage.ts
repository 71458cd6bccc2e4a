/**
 * Measures how many bytes each organization has in the bucket. Begins with the organization whose last measurement is
 * the oldest, so a call continues where an interrupted call ended.
 */
import { allOrganizations, allOrganizationsSpan } from '#shared/model/organizations/organization.ts';
import { CACHE } from '#shared/model/runs/cached-version.ts';
import { storedBytes } from '#shared/model/usage/usage.ts';
import type { Services } from '#shared/services.ts';
import { USAGE_LIMITS } from './limits.ts';

interface Time {
  readonly remainingMilliseconds: () => number;
}

export async function measureStorage(
  services: Services,
  time: Time,
): Promise<{ readonly measured: number; readonly finished: boolean }> {
  const { table } = services;
  const all = await table.queryAll(allOrganizations, allOrganizationsSpan);
  const rows = await table.getMany(storedBytes, all);
  const organizations = all
    .map(({ organizationId }, index) => ({ organizationId, measuredAt: rows[index]?.measuredAt ?? 0 }))
    .toSorted((one, other) => one.measuredAt - other.measuredAt);
  let count = 0;
  for (const organization of organizations) {
    if (!(await measureOrganization(services, organization, time))) return { measured: count, finished: false };
    count += 1;
  }
  return { measured: count, finished: true };
}

/** Returns false, and stores nothing, if the time runs out. */
async function measureOrganization(
  { table, artifacts, now }: Services,
  { organizationId }: { readonly organizationId: string },
  { remainingMilliseconds }: Time,
): Promise<boolean> {
  const measuredAt = now();
  // A file that is stored during the measurement may count twice until the next one, but never remains uncounted.
  const before = await table.get(storedBytes, { organizationId }, { consistent: true });
  let bytes = 0;
  for (const folder of [`${organizationId}/`, `${CACHE}/${organizationId}/`]) {
    for await (const page of artifacts.bytesBelow(folder)) {
      bytes += page;
      if (remainingMilliseconds() < USAGE_LIMITS.measurementMarginMilliseconds) return false;
    }
  }
  const set = [
    ['organizationId', organizationId],
    ['measured', bytes],
    ['measuredAt', measuredAt],
    ['balanceAtMeasurement', before?.balance ?? 0],
  ] as const;
  await table.update(storedBytes, { organizationId }, { set });
  return true;
}
