/**
 * Measures how many bytes each organization has in the bucket. A measurement that the time does not suffice for
 * continues at the next call, after the last key that it has listed. Until it ends, the previous one counts.
 */
import { expectSameValues, expectValue } from '#shared/engine/table/update.ts';
import { allOrganizations, allOrganizationsSpan, organizations } from '#shared/model/organizations/organization.ts';
import { CACHE } from '#shared/model/runs/cached-version.ts';
import { type StoredBytes, storedBytes } from '#shared/model/usage/usage.ts';
import { resolveUsageLimits } from '#shared/model/usage/usage-limits.ts';
import type { Services } from '#shared/services.ts';
import { USAGE_LIMITS } from './limits.ts';
import { computeStoredBytes } from './stored-bytes.ts';

interface Options {
  readonly remainingMilliseconds: () => number;
  /** Whether somebody called the function, and wants to know the bytes as they are now. */
  readonly isByHand?: boolean;
  /** The objects in a page of a listing. */
  readonly pageKeys?: number;
}

interface Measurements {
  /** The organizations whose measurement has ended. */
  readonly measured: number;
  readonly pages: number;
  /** Of these, the organizations that use 80 % or more of their storage. */
  readonly nearlyFull: number;
  /** False if a measurement takes, or waits for, more than two days. One that only continues in the next call is no concern. */
  readonly finished: boolean;
}

export async function measureStorage(services: Services, options: Options): Promise<Measurements> {
  const { table, now } = services;
  const all = await table.queryAll(allOrganizations, allOrganizationsSpan);
  const rows = await table.getMany(storedBytes, all);
  const dueAt = now() - USAGE_LIMITS.measureAfterMilliseconds;
  const dueRows = all
    .map((organization, index) => ({ ...organization, ...rows[index] }))
    .filter((row) => options.isByHand || isInProgress(row) || (row.measuredAt ?? 0) <= dueAt)
    .toSorted((one, other) => (one.measuredAt ?? 0) - (other.measuredAt ?? 0));
  const measurement = new Measurement(services, options);
  const measuredRows: { readonly organizationId: string }[] = [];
  let finished = true;
  for (const row of dueRows) {
    const end = measurement.isTimeUp ? { row } : await measurement.measure(row);
    if (end === 'measured') measuredRows.push(row);
    else {
      const since = end.row?.listingBeganAt ?? end.row?.measuredAt ?? row.createdAt;
      if (since <= now() - USAGE_LIMITS.lateMeasurementMilliseconds) finished = false;
    }
  }
  const nearlyFull = await countNearlyFull(services, measuredRows);
  return { measured: measuredRows.length, pages: measurement.pages, nearlyFull, finished };
}

async function countNearlyFull(
  { table, defaultLimits }: Pick<Services, 'table' | 'defaultLimits'>,
  measuredRows: readonly { readonly organizationId: string }[],
): Promise<number> {
  const [rows, owners] = await Promise.all([
    table.getMany(storedBytes, measuredRows),
    table.getMany(organizations, measuredRows),
  ]);
  return owners.filter((organization, index) => {
    const { storedBytes: limit } = resolveUsageLimits(organization ?? {}, defaultLimits);
    return computeStoredBytes(rows[index]) >= USAGE_LIMITS.warnFrom * limit;
  }).length;
}

/** A listing that has reached its end. Files of tests are listed first, then caches. */
const END = 'end';

const getFolders = (organizationId: string) => [`${organizationId}/`, `${CACHE}/${organizationId}/`] as const;

interface Interruption {
  readonly row: Partial<StoredBytes> | undefined;
}

type Progress = StoredBytes & Required<Pick<StoredBytes, 'listedTo'>>;

const isInProgress = (row: Partial<StoredBytes> | undefined): row is Progress => row?.listedTo !== undefined;

class Measurement {
  pages = 0;
  readonly #services: Services;
  readonly #options: Options;

  constructor(services: Services, options: Options) {
    this.#services = services;
    this.#options = options;
  }

  get isTimeUp(): boolean {
    return this.#options.remainingMilliseconds() < USAGE_LIMITS.measurementMarginMilliseconds;
  }

  /** Returns the row if the time runs out first, or if another call has ended the measurement. */
  async measure({ organizationId }: { readonly organizationId: string }): Promise<'measured' | Interruption> {
    let row = await this.#begin(organizationId);
    while (isInProgress(row) && row.listedTo !== END) {
      if (this.isTimeUp) return { row };
      row = await this.#listPage(row);
    }
    return isInProgress(row) ? this.#end(row) : { row };
  }

  /** Begins a measurement, or continues the one that has not ended. */
  async #begin(organizationId: string): Promise<StoredBytes | undefined> {
    const { table, now } = this.#services;
    const [listedTo] = getFolders(organizationId);
    const set = [
      ['organizationId', organizationId],
      ['listingBeganAt', now()],
      ['listedTo', listedTo],
      ['listedBytes', 0],
    ] as const;
    return (await table.update(storedBytes, { organizationId }, { set }, { absent: 'listedTo' })).item;
  }

  /** Returns the row with the page. If another call has added the same page before, its row is the same. */
  async #listPage({ organizationId, listedTo }: Progress): Promise<StoredBytes | undefined> {
    const { table, artifacts } = this.#services;
    const [files, caches] = getFolders(organizationId);
    const folder = listedTo.startsWith(files) ? files : caches;
    const page = await artifacts.listPage({ prefix: folder, after: listedTo, limit: this.#options.pageKeys });
    this.pages += 1;
    const next = page.continuesAfter ?? (folder === files ? caches : END);
    const changes = { add: [['listedBytes', page.bytes]], set: [['listedTo', next]] } as const;
    return (await table.update(storedBytes, { organizationId }, changes, expectValue('listedTo', listedTo))).item;
  }

  /** Files that are stored or deleted meanwhile change the row, so it is read again until both numbers fit together. */
  async #end(row: Progress): Promise<'measured' | Interruption> {
    const { organizationId, listedBytes = 0, listingBeganAt = 0, balance = 0 } = row;
    const set = [
      ['measured', listedBytes],
      ['measuredAt', listingBeganAt],
      ['balanceAtMeasurement', balance],
    ] as const;
    const changes = { set, remove: ['listingBeganAt', 'listedTo', 'listedBytes'] } as const;
    const isSame = expectSameValues(row, 'listedTo', 'listedBytes', 'balance');
    const outcome = await this.#services.table.update(storedBytes, { organizationId }, changes, isSame);
    if (outcome.done) return 'measured';
    const mayRepeat = isInProgress(outcome.item) && outcome.item.listedTo === END && !this.isTimeUp;
    return mayRepeat ? this.#end(outcome.item) : { row: outcome.item };
  }
}
