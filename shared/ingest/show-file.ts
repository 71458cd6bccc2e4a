/** Stores announced files. The run shows screenshots and the first video of a spec file, so they get a second row. */

import { type Changes, type Condition, setting } from '#shared/engine/table/update.ts';
import { ABSENT } from '#shared/engine/table/writes.ts';
import { type Artifact, artifacts } from '#shared/model/artifact.ts';
import { shownFile, shownFiles } from '#shared/model/shown-files.ts';
import type { CoreServices } from '#shared/services.ts';
import { INGEST_LIMITS } from './limits.ts';

/** A repeated announcement does not change the row of an uploaded file. */
export async function announceFile({ table }: Pick<CoreServices, 'table'>, announced: Artifact): Promise<void> {
  const put = await table.put(artifacts, announced, ABSENT);
  await showFile({ table }, put.done ? announced : (put.existing ?? announced));
}

/** An uploaded file replaces its announcement. An announcement replaces nothing. */
export async function showFile(services: Pick<CoreServices, 'table'>, artifact: Artifact): Promise<void> {
  if (artifact.type === 'screenshot') return showPicture(services, artifact);
  if (artifact.type === 'video') return showVideo(services, artifact);
}

const endOf = ({ expiry }: Artifact) => setting({ expiresAt: expiry.files });

const hasArrived = ({ bytes }: Artifact): boolean => bytes !== undefined;

async function showPicture({ table }: Pick<CoreServices, 'table'>, artifact: Artifact): Promise<void> {
  const path = ['pictures', artifact.objectName] as const;
  const hasRoom: Condition = { path: 'pictures', fewerEntriesThan: INGEST_LIMITS.picturesPerSpec };
  const when: Condition = hasArrived(artifact)
    ? { any: [{ present: path }, hasRoom] }
    : { all: [{ absent: path }, hasRoom] };
  const add: Changes = { set: [[path, shownFile(artifact)]] };
  const start: Changes = { set: [['pictures', { [artifact.objectName]: shownFile(artifact) }], ...endOf(artifact)] };
  const added = await table.update(shownFiles, artifact, add, when);
  if (added.done || Object.keys(added.existing?.pictures ?? {}).length > 0) return;
  const started = await table.update(shownFiles, artifact, start, { absent: 'pictures' });
  if (!started.done) await table.update(shownFiles, artifact, add, when);
}

async function showVideo({ table }: Pick<CoreServices, 'table'>, artifact: Artifact): Promise<void> {
  const mine: Condition = { path: ['video', 'o'], equals: artifact.objectName };
  const changes: Changes = { set: [['video', { ...shownFile(artifact), o: artifact.objectName }], ...endOf(artifact)] };
  const when: Condition = hasArrived(artifact) ? { any: [{ absent: 'video' }, mine] } : { absent: 'video' };
  await table.update(shownFiles, artifact, changes, when);
}
