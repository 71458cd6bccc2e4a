/**
 * The bytes of an organization in the bucket. A measurement counts them each night. Between measurements, each stored
 * or deleted file of a test changes a balance. If such a change is interrupted or repeated, the number is wrong until
 * the next measurement. Stored and deleted caches count only from the next measurement on.
 */

import { type LookupResult, makeLookup } from '#shared/engine/table/found.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { type StoredBytes, storedBytes } from '#shared/model/usage/usage.ts';
import { resolveRefusals } from '#shared/model/usage/usage-limits.ts';
import type { Services } from '#shared/services.ts';
import { storageFull } from './errors.ts';

interface Owner {
  readonly organizationId: string;
}

/** The number of bytes of the last measurement, plus the changes since then. */
export const computeStoredBytes = ({
  measured = 0,
  balance = 0,
  balanceAtMeasurement = 0,
}: Partial<StoredBytes> = {}): number => Math.max(0, measured + balance - balanceAtMeasurement);

/** Notes that a file was stored, or deleted if `bytes` is negative. */
export async function noteStored({ table }: WithTable, { organizationId }: Owner, bytes: number): Promise<void> {
  if (bytes === 0) return;
  const set = [['organizationId', organizationId]] as const;
  await table.update(storedBytes, { organizationId }, { add: [['balance', bytes]], set });
}

/** Notes a file that is about to be stored, if there is room. Concurrent files do not exceed the limit together. */
export async function takeRoom(
  services: WithTable & Limits,
  { organizationId }: Owner,
  bytes: number,
): Promise<boolean> {
  const { table, defaultLimits } = services;
  const [organizationLookup, bytesLookup] = makeRoomLookups({ organizationId });
  const rows = await table.getTogether([organizationLookup, bytesLookup]);
  const { storedBytes: limit } = resolveRefusals(rows.of(organizationLookup) ?? {}, defaultLimits);
  const { measured = 0, balanceAtMeasurement = 0 } = rows.of(bytesLookup) ?? {};
  const most = limit - bytes - measured + balanceAtMeasurement;
  const fits: Condition = { any: [{ path: 'balance', atMost: most }, ...(most >= 0 ? [ABSENT_BALANCE] : [])] };
  const changes = { add: [['balance', bytes]], set: [['organizationId', organizationId]] } as const;
  return (await table.update(storedBytes, { organizationId }, changes, limit === Infinity ? undefined : fits)).done;
}

const ABSENT_BALANCE: Condition = { absent: 'balance' };

/** Notes that files were deleted. Only confirmed files have a size. */
export const noteRemoved = (
  services: WithTable,
  owner: Owner,
  files: readonly { readonly bytes?: number }[],
): Promise<void> => noteStored(services, owner, -files.reduce((sum, { bytes = 0 }) => sum + bytes, 0));

/** The rows that `hasRoomInRows` needs, for callers that read other rows in the same round trip. */
export const makeRoomLookups = (owner: Owner) =>
  [makeLookup(organizations, owner), makeLookup(storedBytes, owner)] as const;

type Limits = Pick<Services, 'defaultLimits'>;

/** Whether the organization may store more files. `rows` must contain those of `makeRoomLookups`. */
export function hasRoomInRows(rows: LookupResult, owner: Owner, { defaultLimits }: Limits): boolean {
  const [organizationLookup, bytesLookup] = makeRoomLookups(owner);
  const { storedBytes: limit } = resolveRefusals(rows.of(organizationLookup) ?? {}, defaultLimits);
  return computeStoredBytes(rows.of(bytesLookup)) < limit;
}

export const hasRoom = async (services: WithTable & Limits, owner: Owner): Promise<boolean> =>
  hasRoomInRows(await services.table.getTogether(makeRoomLookups(owner)), owner, services);

/** Throws 422 if the storage of the organization is full. */
export async function requireRoom(services: WithTable & Limits, owner: Owner): Promise<void> {
  if (!(await hasRoom(services, owner))) throw storageFull();
}
