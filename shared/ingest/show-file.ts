/**
 * Stores the rows of announced files, which a client is about to upload. A second row per spec file lists its
 * screenshots, its traces and its first video for the page of the run.
 */

import { splitIntoChunks } from '#shared/engine/chunks.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { type Correlation, pickCorrelation } from '#shared/engine/correlation.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { type Changes, type Condition, toAssignments } from '#shared/engine/table/update.ts';
import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { computeFilesDueAt, dueFiles } from '#shared/model/due.ts';
import { extractRunId } from '#shared/model/ids.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { type Artifact, artifacts, getObjectKey } from '#shared/model/results/artifact.ts';
import { shownFiles, toShownFile } from '#shared/model/results/shown-files.ts';
import { haveEnded } from '#shared/model/runs/expiry.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import type { WithClock } from '#shared/services.ts';
import { INGEST_LIMITS } from './limits.ts';

/**
 * Announces files of one run, and returns their rows. A repeated announcement does not change the row of an uploaded
 * file. If the files of the run have expired or were deleted, nothing is stored and the uploads are dropped. `justRead`
 * is the run, if the caller read it a moment ago.
 */
export async function announceFiles(
  { table, now, ...cause }: WithClock & Correlation,
  announcedFiles: readonly Artifact[],
  justRead?: Run,
): Promise<Artifact[]> {
  const [first] = announcedFiles;
  const runId = first && extractRunId(first.instanceId);
  if (!first || runId === undefined) return [];
  // Only the run itself tells whether somebody deleted its files. The expiry in `announcedFiles` may be older.
  const key = { organizationId: first.organizationId, runId };
  const run = justRead ?? (await table.get(runs, key, { consistent: true }));
  if (!run || haveEnded(run.expiry.files, now())) return [];
  await scheduleRemoval({ table }, announcedFiles);
  const files = announcedFiles.map((file) => ({ ...file, ...pickCorrelation(cause) }));
  const rows = await storeOnce({ table }, files);
  await mapConcurrently(rows, (row) => showFile({ table }, row));
  return rows;
}

/** The maximum number of writes in a DynamoDB transaction. */
const WRITES_TOGETHER = 100;

/** Stores the rows of files that have none yet. Returns the rows of all files. */
async function storeOnce({ table }: WithTable, announcedFiles: readonly Artifact[]): Promise<Artifact[]> {
  const files = [...new Map(announcedFiles.map((file) => [getObjectKey(file), file])).values()];
  const rows: Artifact[] = [];
  for (const batch of splitIntoChunks(files, WRITES_TOGETHER)) {
    // Usually all files are new. A transaction then stores them in one trip, although each row costs twice as much.
    const areNew = batch.length > 1 && (await table.transact(batch.map((file) => put(artifacts, file, ABSENT))));
    const storeIfNew = async (file: Artifact) => (await table.put(artifacts, file, ABSENT)).item ?? file;
    rows.push(...(areNew ? batch : await mapConcurrently(batch, storeIfNew)));
  }
  return rows;
}

/** The schedule is written before the rows of the files, so that no file is forgotten. */
async function scheduleRemoval({ table }: WithTable, announcedFiles: readonly Artifact[]): Promise<void> {
  const specFiles = new Map(announcedFiles.map((file) => [file.instanceId, file]));
  await table.writeMany(
    [...specFiles.values()].flatMap(({ organizationId, instanceId, expiry: { files } }) =>
      files === undefined ? [] : put(dueFiles, { organizationId, instanceId, dueAt: computeFilesDueAt(files) }),
    ),
  );
}

/** An uploaded file replaces its announcement, an announcement replaces nothing. Traces are added once uploaded. */
export async function showFile({ table }: WithTable, artifact: Artifact): Promise<void> {
  const { type, objectName, testId, attempt = 0 } = artifact;
  const hasArrived = artifact.bytes !== undefined;
  if (type === 'screenshot') {
    const path = ['pictures', objectName] as const;
    const hasRoom: Condition = { path: 'pictures', fewerEntriesThan: INGEST_LIMITS.picturesPerSpec };
    const when: Condition = hasArrived ? { any: [{ present: path }, hasRoom] } : { all: [{ absent: path }, hasRoom] };
    await addMapEntry({ table }, 'pictures', artifact, { value: toShownFile(artifact), when });
  }
  if (type === 'video') {
    const isSameVideo: Condition = { path: ['video', 'o'], equals: objectName };
    const changes: Changes = {
      set: [['video', { ...toShownFile(artifact), o: objectName }], ...buildExpiryChange(artifact)],
    };
    const when: Condition = hasArrived ? { any: [{ absent: 'video' }, isSameVideo] } : { absent: 'video' };
    await table.update(shownFiles, artifact, changes, when);
  }
  if (type === 'trace' && testId !== undefined && hasArrived) {
    // If a spec file has more traces than fit into the row, readers query the artifacts.
    const hasRoom: Condition = { path: 'traces', fewerEntriesThan: MODEL_LIMITS.shownTraces };
    const when: Condition = { all: [{ absent: ['traces', objectName] }, hasRoom] };
    await addMapEntry({ table }, 'traces', artifact, { value: attempt, when });
  }
}

const buildExpiryChange = ({ expiry }: Artifact) => toAssignments({ expiresAt: expiry.files });

/** The first entry creates the map. */
async function addMapEntry(
  { table }: WithTable,
  map: 'pictures' | 'traces',
  artifact: Artifact,
  { value, when }: { readonly value: object | number; readonly when: Condition },
): Promise<void> {
  const add: Changes = { set: [[[map, artifact.objectName], value]] };
  const start: Changes = { set: [[map, { [artifact.objectName]: value }], ...buildExpiryChange(artifact)] };
  const addOutcome = await table.update(shownFiles, artifact, add, when);
  if (addOutcome.done || Object.keys(addOutcome.item?.[map] ?? {}).length > 0) return;
  const startOutcome = await table.update(shownFiles, artifact, start, { absent: map });
  if (!startOutcome.done) await table.update(shownFiles, artifact, add, when);
}
