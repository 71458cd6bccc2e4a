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
import { resolveRefusals } from '#shared/model/usage/usage-limits.ts';
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
  const set = [['organizationId', organizationId]] as const;
  // Assumes that no measurement is in progress, which is the case most of the time. Otherwise the first attempt fails,
  // and the row that it returns says how far the measurement is.
  let listedTo: string | undefined;
  // Each further attempt means that the measurement has moved on, so the loop ends with it at the latest.
  for (;;) {
    const listedFiles = listedTo === undefined ? [] : listFilesUpTo({ organizationId, listedTo }, files);
    const add: [string, number][] = [['balance', sumBytes(files)]];
    if (listedFiles.length > 0) add.push(['listedBytes', sumBytes(listedFiles)]);
    const isSame = expectValue('listedTo', listedTo);
    const condition = fits ? { all: [isSame, fits] } : isSame;
    const outcome = await table.update(storedBytes, { organizationId }, { add, set }, condition);
    if (outcome.done) return true;
    if (outcome.item?.listedTo === listedTo) return false;
    listedTo = outcome.item?.listedTo;
  }
}

const sumBytes = (files: readonly StoredFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

/** The files that an unfinished measurement has passed. It lists the files of tests first. */
function listFilesUpTo(
  { organizationId, listedTo }: Owner & { readonly listedTo: string },
  files: readonly StoredFile[],
): readonly StoredFile[] {
  const hasListedAllTests = !listedTo.startsWith(`${organizationId}/`);
  return hasListedAllTests ? files : files.filter(({ key }) => key <= listedTo);
}

/** Notes a file that is about to be stored, if there is room. Concurrent files do not exceed the limit together. */
export async function takeRoom(services: WithTable & Limits, artifact: ArtifactKey, bytes: number): Promise<boolean> {
  const { table, defaultLimits } = services;
  const { organizationId } = artifact;
  const [organizationLookup, bytesLookup] = makeRoomLookups({ organizationId });
  const rows = await table.getTogether([organizationLookup, bytesLookup]);
  const { storedBytes: limit } = resolveRefusals(rows.of(organizationLookup) ?? {}, defaultLimits);
  const { measured = 0, balanceAtMeasurement = 0 } = rows.of(bytesLookup) ?? {};
  const most = limit - bytes - measured + balanceAtMeasurement;
  const isBelow: Condition = { path: 'balance', atMost: most };
  // Without a balance, nothing was stored since the measurement.
  const fits: Condition = most >= 0 ? { any: [isBelow, { absent: 'balance' }] } : isBelow;
  const files = [{ key: getObjectKey(artifact), bytes }];
  return changeBalance(services, artifact, { files, fits: limit === Infinity ? undefined : fits });
}

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
  const { storedBytes: limit } = resolveRefusals(rows.of(organizationLookup) ?? {}, defaultLimits);
  return computeStoredBytes(rows.of(bytesLookup)) < limit;
}

export const hasRoom = async (services: WithTable & Limits, owner: Owner): Promise<boolean> =>
  hasRoomInRows(await services.table.getTogether(makeRoomLookups(owner)), owner, services);

/** Throws 422 if the storage of the organization is full. */
export async function requireRoom(services: WithTable & Limits, owner: Owner): Promise<void> {
  if (!(await hasRoom(services, owner))) throw storageFull();
}
