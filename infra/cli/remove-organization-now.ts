/**
 * Removes a deleted organization at once, with all rows and objects that belong to it. Unlike the scheduled removal, it
 * reads the whole table, so that it also finds rows that are in no list.
 */
import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { TableKey } from '#shared/engine/table/keys.ts';
import { remove, removeKey } from '#shared/engine/table/writes.ts';
import { removeOrganization } from '#shared/lifecycle/remove-organizations.ts';
import { EXPORTS } from '#shared/model/analytics/exported-day.ts';
import { removeCredential } from '#shared/model/credential.ts';
import { type DueOrganization, dueOrganizations } from '#shared/model/due.ts';
import { integrations } from '#shared/model/issues/integration.ts';
import { ROWS_OF_ORGANIZATION, ROWS_OF_PEOPLE } from '#shared/model/organizations/rows-of-organization.ts';
import { UPLOADS } from '#shared/model/results/artifact.ts';
import { CACHE } from '#shared/model/runs/cached-version.ts';
import { IMPORTS } from '#shared/model/runs/import.ts';
import { companyProviders } from '#shared/model/sign-in/company-provider.ts';
import type { CoreServices } from '#shared/services.ts';
import type { Bucket } from './archives/bucket.ts';
import type { Recognize } from './archives/row-owner.ts';
import type { Pace, TableScan } from './archives/table-scan.ts';

export interface RemovalTargets {
  readonly services: CoreServices;
  readonly scan: TableScan;
  readonly bucket: Pick<Bucket, 'pages' | 'remove'>;
  readonly recognize: Recognize;
  /** The credentials of notifications. */
  readonly secrets: Pick<Secrets, 'remove'>;
  readonly trackers: Pick<Secrets, 'remove'>;
  readonly providers: Pick<Secrets, 'remove'>;
  readonly pace: Pace;
}

export interface RemovalCounts {
  readonly rows: number;
  readonly objects: number;
}

/** Kinds of rows that are left to `removeOrganization`, whose order of removal tolerates interruptions. */
const BY_PASSES = new Set([
  ...[...ROWS_OF_ORGANIZATION.flatMap(({ kinds }) => kinds), ...ROWS_OF_PEOPLE].map(({ type }) => type),
  dueOrganizations.type,
  'organization',
  'organization, listed',
]);

const LAST = new Set([dueOrganizations.type]);
const NO_LIMIT = { remainingMilliseconds: () => Number.POSITIVE_INFINITY };

/** Can be repeated. Returns when the objects are deleted and a scan of the whole table has found no more rows. */
export async function removeNow(
  targets: RemovalTargets,
  due: DueOrganization,
  onProgress: (soFar: RemovalCounts) => void,
): Promise<RemovalCounts> {
  const totals = { rows: 0, objects: 0 };
  const reportRemoved = (more: Partial<RemovalCounts>) => {
    totals.rows += more.rows ?? 0;
    totals.objects += more.objects ?? 0;
    onProgress({ ...totals });
  };
  const { trackers, providers } = targets;
  const services = { ...targets.services, trackers, providers };
  // The first pass takes the organization away, so that it cannot be restored from here on.
  await removeOrganization(services, due, NO_LIMIT);
  const { left } = await removeScannedRows(targets, due, BY_PASSES, reportRemoved);
  reportRemoved({ rows: left });
  let outcome = await removeOrganization(services, due, NO_LIMIT);
  while (outcome === 'projectsLeft' || outcome === 'unfinished') {
    // Sweeps that were already running may have postponed their work.
    if (outcome === 'projectsLeft') await removeScannedRows(targets, due, BY_PASSES, reportRemoved);
    outcome = await removeOrganization(services, due, NO_LIMIT);
  }
  for (const folder of ['', `${UPLOADS}/`, `${IMPORTS}/`, `${CACHE}/`, `${EXPORTS}/`]) {
    for await (const page of targets.bucket.pages(`${folder}${due.organizationId}/`)) {
      await mapConcurrently(page, ({ key }) => targets.bucket.remove(key));
      reportRemoved({ objects: page.length });
    }
  }
  // Running requests may have written rows. The row by which a repeated removal finds the organization goes last.
  let hasRemoved = true;
  while (hasRemoved) hasRemoved = (await removeScannedRows(targets, due, LAST, reportRemoved)).removed > 0;
  await services.table.writeMany((await listDueRemovals(services, due)).map((row) => remove(dueOrganizations, row)));
  return totals;
}

/** They still exist when the row of the organization is gone. */
export async function listDueRemovals(
  { table }: Pick<CoreServices, 'table'>,
  { organizationId }: Pick<DueOrganization, 'organizationId'>,
): Promise<DueOrganization[]> {
  const shards = Array.from({ length: dueOrganizations.shards }, (_, shard) =>
    table.queryAll(dueOrganizations, dueOrganizations.span(shard, Number.POSITIVE_INFINITY), { consistent: true }),
  );
  return (await Promise.all(shards)).flat().filter((due) => due.organizationId === organizationId);
}

/** Scans the whole table. Returns how many rows were removed, and how many were left because of `except`. */
async function removeScannedRows(
  { services: { table }, scan, recognize, pace, ...stores }: RemovalTargets,
  { organizationId }: DueOrganization,
  except: ReadonlySet<string>,
  reportRemoved: (more: Partial<RemovalCounts>) => void,
): Promise<{ readonly removed: number; readonly left: number }> {
  const total = { removed: 0, left: 0 };
  for await (const { rows } of scan.pages()) {
    const keys: TableKey[] = [];
    for (const row of rows) {
      const recognizedRow = recognize(row);
      if (!recognizedRow?.belongsTo(organizationId)) continue;
      if (except.has(recognizedRow.type)) {
        total.left += 1;
        continue;
      }
      const secretName = row['secretName'];
      // Credentials go before the rows that name them.
      if (typeof secretName === 'string')
        await removeCredential(chooseStore(stores, recognizedRow.type), { organizationId, secretName });
      keys.push({ pk: row.pk, sk: row.sk });
    }
    if (keys.length === 0) continue;
    const before = table.meter.writeUnits;
    await table.writeMany(keys.map(removeKey));
    await pace.spend(table.meter.writeUnits - before);
    total.removed += keys.length;
    reportRemoved({ rows: keys.length });
  }
  return total;
}

/** The store of the credential that a row of this type names. */
function chooseStore(
  { secrets, trackers, providers }: Pick<RemovalTargets, 'secrets' | 'trackers' | 'providers'>,
  type: string,
): Pick<Secrets, 'remove'> {
  if (type === integrations.type) return trackers;
  return type === companyProviders.type ? providers : secrets;
}
