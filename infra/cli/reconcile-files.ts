/**
 * Compares file rows with the objects of the bucket, and can repair both. After the table has been restored to an
 * earlier time, some rows point to objects that have been deleted since that time, and objects that have been stored
 * since that time have no row.
 *
 * Every object has a row before it is stored: the row of an announced upload, of a confirmed file, of the import of a
 * report, or of an exported day. Cached files are not compared, because they expire after some days, and losing one
 * costs nothing.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { type Lookup, makeLookup } from '#shared/engine/table/found.ts';
import { showFile } from '#shared/ingest/show-file.ts';
import { exportedDays, parseExportKey } from '#shared/model/analytics/exported-day.ts';
import { allOrganizations, allOrganizationsSpan } from '#shared/model/organizations/organization.ts';
import { getProjectsSpan, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import {
  type Artifact,
  artifacts,
  getInstanceArtifactsSpan,
  getObjectKey,
  parseObjectKey,
  parseUploadKey,
} from '#shared/model/results/artifact.ts';
import { instances } from '#shared/model/results/instance.ts';
import { CACHE } from '#shared/model/runs/cached-version.ts';
import { imports, parseImportKey } from '#shared/model/runs/import.ts';
import { getRunMembersSpan, getRunsSpan, type Run, runs, runsOfProject } from '#shared/model/runs/run.ts';
import type { CoreServices } from '#shared/services.ts';
import type { Bucket, StoredObject } from './archives/bucket.ts';

export const PROBLEMS = {
  deleted: 'deleted files that the bucket still has a version of',
  lost: 'files that are gone for good: their links return 404',
  unconfirmed: 'uploaded files that were never confirmed',
  'without row': 'objects without a row: nothing refers to them, and nothing deletes them',
  young: 'objects without a row that may be part of a running upload: left alone',
  unknown: 'objects that Rundown did not create: left alone',
} as const;

export interface FoundProblem {
  readonly problem: keyof typeof PROBLEMS;
  readonly key: string;
  readonly bytes: number | undefined;
  readonly repaired: boolean;
}

interface FileComparison {
  readonly runs: number;
  readonly objects: number;
}

interface Reconciliation {
  readonly repair: boolean;
  /** In milliseconds. Younger objects without a row and unconfirmed files stay: their upload may be running. */
  readonly safeAge: number;
  readonly onProblem: (found: FoundProblem) => void;
  readonly onProgress: (soFar: FileComparison) => void;
}

interface ComparisonContext extends Reconciliation, Pick<CoreServices, 'table' | 'now'> {
  readonly bucket: Bucket;
}

/** Idempotent. Holds only the files of a few runs and one page of the object list in memory. */
export async function reconcileFiles(services: CoreServices, bucket: Bucket, options: Reconciliation): Promise<void> {
  const counts = { runs: 0, objects: 0 };
  const context = { ...options, table: services.table, now: services.now, bucket };
  for await (const page of readRunPages(services)) {
    await mapConcurrently(page, (run) => compareRun(context, run), RUNS_AT_ONCE);
    counts.runs += page.length;
    options.onProgress({ ...counts });
  }
  for await (const page of bucket.pages()) {
    await compareObjects(context, page);
    counts.objects += page.length;
    options.onProgress({ ...counts });
  }
}

const RUNS_PER_PAGE = 100;
const RUNS_AT_ONCE = 4;

async function* readRunPages({ table, now }: CoreServices): AsyncGenerator<readonly Run[]> {
  for (const organization of await table.queryAll(allOrganizations, allOrganizationsSpan)) {
    for (const project of await table.queryAll(projectsOfOrganization, getProjectsSpan(organization))) {
      let after: string | undefined;
      do {
        const { rows, lastRead } = await table.query(runsOfProject, getRunsSpan(project), {
          limit: RUNS_PER_PAGE,
          after,
        });
        const storedRuns = await table.getMany(
          runs,
          rows.map(({ item }) => item),
        );
        yield storedRuns.flatMap((run) => run ?? []).filter(({ expiry: { files = Infinity } }) => files * 1000 > now());
        after = lastRead;
      } while (after !== undefined);
    }
  }
}

/** The object keys of a run start with the ids of its organization and of the run. */
async function compareRun(context: ComparisonContext, run: Run): Promise<void> {
  const { table, now, bucket, safeAge } = context;
  const { organizationId, runId } = run;
  const storedObjects = new Map<string, StoredObject>();
  for await (const page of bucket.pages(`${organizationId}/${runId}`))
    for (const object of page) storedObjects.set(object.key, object);
  const runInstances = await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'));
  await mapConcurrently(runInstances, async (instance) => {
    for (const file of await table.queryAll(artifacts, getInstanceArtifactsSpan(instance))) {
      const object = storedObjects.get(getObjectKey(file));
      if (!object && file.bytes !== undefined) await bringBack(context, file);
      if (object && file.bytes === undefined && now() - file.createdAt >= safeAge) await confirm(context, file, object);
    }
  });
}

async function bringBack({ bucket, repair, onProblem }: ComparisonContext, file: Artifact): Promise<void> {
  const key = getObjectKey(file);
  const { bytes } = file;
  // The file may have been confirmed after the bucket was listed.
  if (await bucket.has(key)) return;
  const markers = await bucket.listDeleteMarkers(key);
  if (repair && markers) await bucket.restore(key, markers);
  onProblem({ problem: markers ? 'deleted' : 'lost', key, bytes, repaired: repair && markers !== undefined });
}

/** The row is unconfirmed if the table was restored to a time between the announcement and the confirmation. */
async function confirm(
  { table, repair, onProblem }: ComparisonContext,
  file: Artifact,
  { key, bytes, eTag }: StoredObject,
): Promise<void> {
  if (repair) {
    const size = Object.entries({ bytes, eTag });
    const condition = { all: [{ present: 'pk' }, { absent: 'bytes' }] };
    const update = await table.update(artifacts, file, { set: size }, condition);
    if (update.done) await showFile({ table }, update.item);
  }
  onProblem({ problem: 'unconfirmed', key, bytes, repaired: repair });
}

/** Reports the objects without a row. With `repair`, it deletes those that are older than `safeAge`. */
async function compareObjects(
  { table, now, bucket, repair, safeAge, onProblem }: ComparisonContext,
  page: readonly StoredObject[],
): Promise<void> {
  const objects = page
    .filter(({ key }) => !key.startsWith(`${CACHE}/`))
    .map((object) => ({ object, row: findRowLookup(object.key) }));
  const rows = await table.getTogether(objects.flatMap(({ row }) => row ?? []));
  await mapConcurrently(objects, async ({ object: { key, bytes, storedAt }, row }) => {
    if (!row) return onProblem({ problem: 'unknown', key, bytes, repaired: false });
    if (rows.of(row)) return;
    const isYoung = now() - storedAt < safeAge;
    if (repair && !isYoung) await bucket.remove(key);
    onProblem({ problem: isYoung ? 'young' : 'without row', key, bytes, repaired: repair && !isYoung });
  });
}

/** Returns `undefined` for keys that Rundown does not create. */
function findRowLookup(key: string): Lookup<unknown> | undefined {
  const file = parseObjectKey(key) ?? parseUploadKey(key);
  if (file) return makeLookup(artifacts, file);
  const day = parseExportKey(key);
  if (day) return makeLookup(exportedDays, day);
  const report = parseImportKey(key);
  return report && makeLookup(imports, report);
}
