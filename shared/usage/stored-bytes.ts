/**
 * The bytes of an organization in the bucket. A measurement counts them each night. Between measurements, each stored
 * or deleted file of a test changes a balance. If such a change is interrupted or repeated, or concerns the very page
 * that a measurement is listing, the number is wrong until the next measurement. Stored and deleted caches count only
 * from the next measurement on.
 */

import { type LookupResult, makeLookup } from '#shared/engine/table/found.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { type Condition, expectValue } from '#shared/engine/table/update.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { getObjectKey } from '#shared/model/results/artifact.ts';
import { type StoredBytes, storedBytes } from '#shared/model/usage/usage.ts';
import { resolveUsageLimits } from '#shared/model/usage/usage-limits.ts';
import type { Services } from '#shared/services.ts';
import { storageFull } from './errors.ts';

interface Owner {
  readonly organizationId: string;
}

type ArtifactKey = Parameters<typeof getObjectKey>[0];

/** The number of bytes of the last measurement, plus the changes since then. */
export const computeStoredBytes = ({
  measured = 0,
  balance = 0,
  balanceAtMeasurement = 0,
}: Partial<StoredBytes> = {}): number => Math.max(0, measured + balance - balanceAtMeasurement);

/** A file in the bucket, whose bytes are negative if it was deleted. */
interface StoredFile {
  readonly key: string;
  readonly bytes: number;
}

/**
 * Notes that files were stored or deleted, if the condition holds. What an unfinished measurement has listed already
 * includes them from now on. What it has yet to list will include them anyway.
 */
async function changeBalance(
  { table }: WithTable,
  { organizationId }: Owner,
  { files, fits }: { readonly files: readonly StoredFile[]; readonly fits?: Condition | undefined },
): Promise<boolean> {
  const sumBytes = (all: readonly StoredFile[]) => all.reduce((sum, { bytes }) => sum + bytes, 0);
  const set = [['organizationId', organizationId]] as const;
  // Assumes that no measurement is in progress, which is the case most of the time. Otherwise the first attempt fails,
  // and the row that it returns says how far the measurement is.
  let listedTo: string | undefined;
  for (;;) {
    const listedFiles = files.filter(
      ({ key }) => listedTo !== undefined && isListed({ organizationId, listedTo }, key),
    );
    const isSame = expectValue('listedTo', listedTo);
    const add = [
      ['balance', sumBytes(files)] as const,
      ...(listedFiles.length > 0 ? [['listedBytes', sumBytes(listedFiles)] as const] : []),
    ];
    const condition = fits ? { all: [isSame, fits] } : isSame;
    const outcome = await table.update(storedBytes, { organizationId }, { add, set }, condition);
    if (outcome.done) return true;
    if (outcome.item?.listedTo === listedTo) return false;
    listedTo = outcome.item?.listedTo;
  }
}

/** Whether an unfinished measurement has passed the key of a file of a test. It lists these files first. */
const isListed = ({ organizationId, listedTo }: Owner & { readonly listedTo: string }, key: string): boolean =>
  !listedTo.startsWith(`${organizationId}/`) || key <= listedTo;

/** Notes a file that is about to be stored, if there is room. Concurrent files do not exceed the limit together. */
export async function takeRoom(services: WithTable & Limits, artifact: ArtifactKey, bytes: number): Promise<boolean> {
  const { table, defaultLimits } = services;
  const { organizationId } = artifact;
  const [organizationLookup, bytesLookup] = makeRoomLookups({ organizationId });
  const rows = await table.getTogether([organizationLookup, bytesLookup]);
  const { storedBytes: limit } = resolveUsageLimits(rows.of(organizationLookup)?.limits, defaultLimits);
  const { measured = 0, balanceAtMeasurement = 0 } = rows.of(bytesLookup) ?? {};
  const most = limit - bytes - measured + balanceAtMeasurement;
  const fits: Condition = { any: [{ path: 'balance', atMost: most }, ...(most >= 0 ? [ABSENT_BALANCE] : [])] };
  const files = [{ key: getObjectKey(artifact), bytes }];
  return changeBalance(services, artifact, { files, fits: limit === Infinity ? undefined : fits });
}

const ABSENT_BALANCE: Condition = { absent: 'balance' };

/** Notes that files were deleted. Only confirmed files have a size. */
export async function noteRemoved(
  services: WithTable,
  owner: Owner,
  artifacts: readonly (ArtifactKey & { readonly bytes?: number })[],
): Promise<void> {
  const files = artifacts.flatMap((artifact) =>
    artifact.bytes ? { key: getObjectKey(artifact), bytes: -artifact.bytes } : [],
  );
  if (files.length > 0) await changeBalance(services, owner, { files });
}

/** The rows that `hasRoomInRows` needs, for callers that read other rows in the same round trip. */
export const makeRoomLookups = (owner: Owner) =>
  [makeLookup(organizations, owner), makeLookup(storedBytes, owner)] as const;

type Limits = Pick<Services, 'defaultLimits'>;

/** Whether the organization may store more files. `rows` must contain those of `makeRoomLookups`. */
export function hasRoomInRows(rows: LookupResult, owner: Owner, { defaultLimits }: Limits): boolean {
  const [organizationLookup, bytesLookup] = makeRoomLookups(owner);
  const { storedBytes: limit } = resolveUsageLimits(rows.of(organizationLookup)?.limits, defaultLimits);
  return computeStoredBytes(rows.of(bytesLookup)) < limit;
}

export const hasRoom = async (services: WithTable & Limits, owner: Owner): Promise<boolean> =>
  hasRoomInRows(await services.table.getTogether(makeRoomLookups(owner)), owner, services);

/** Throws 422 if the storage of the organization is full. */
export async function requireRoom(services: WithTable & Limits, owner: Owner): Promise<void> {
  if (!(await hasRoom(services, owner))) throw storageFull();
}
