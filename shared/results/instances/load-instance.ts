/** Loads an instance: with one query if it is finished, otherwise also with its run, its group and its test records. */

import type { Attributes } from '#shared/engine/table/entity.ts';
import { extractRunId } from '#shared/model/ids.ts';
import type { OfInstance } from '#shared/model/keys.ts';
import { type Artifact, artifacts } from '#shared/model/results/artifact.ts';
import { testRows } from '#shared/model/results/evidence.ts';
import { instances } from '#shared/model/results/instance.ts';
import {
  type DetailsPart,
  detailsParts,
  type InstanceDetails,
  joinDetails,
} from '#shared/model/results/instance-details.ts';
import { getInstancePartition, getTestRecordsSpan } from '#shared/model/results/test-record.ts';
import { groups } from '#shared/model/runs/group.ts';
import { runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { buildInstanceDetails, toRecordedTest } from './instance-details.ts';

export interface LoadedInstance {
  readonly details: InstanceDetails;
  readonly artifacts: readonly Artifact[];
}

export async function loadInstance(services: Services, key: OfInstance): Promise<LoadedInstance | undefined> {
  const rows = await services.table.queryAll(fileOrPart, makeFilesAndDetailsSpan(key));
  const files = rows.flatMap((row) => (row.kind === 'file' ? row.artifact : []));
  const storedDetails = joinDetails(rows.flatMap((row) => (row.kind === 'part' ? row.part : [])));
  const details = storedDetails ?? (await readInstanceInProgress(services, key));
  return details && { details, artifacts: files };
}

type FileOrPart =
  | { readonly kind: 'file'; readonly artifact: Artifact }
  | { readonly kind: 'part'; readonly part: DetailsPart };

const fileOrPart = {
  load: (row: Attributes): FileOrPart =>
    String(row['sk']).startsWith('DETAILS#')
      ? { kind: 'part', part: detailsParts.load(row) }
      : { kind: 'file', artifact: artifacts.load(row) },
};

/** The files and the details of an instance. `ARTIFACT#` and `DETAILS#` are adjacent, so one query reads both. */
const makeFilesAndDetailsSpan = (key: OfInstance) => ({
  pk: getInstancePartition(key),
  from: 'ARTIFACT#',
  to: 'DETAILS#\u{10ffff}',
});

async function readInstanceInProgress(
  { table }: Services,
  { organizationId, instanceId }: OfInstance,
): Promise<InstanceDetails | undefined> {
  const runId = extractRunId(instanceId);
  if (runId === undefined) return undefined;
  const key = { organizationId, instanceId, runId };
  const [run, instance, rows] = await Promise.all([
    table.get(runs, key),
    table.get(instances, key),
    table.queryAll(testRows, getTestRecordsSpan(key)),
  ]);
  if (!run || !instance) return undefined;
  const group = await table.get(groups, instance);
  const tests = rows.flatMap((row) => (row.kind === 'record' ? toRecordedTest(row.record) : []));
  return buildInstanceDetails({ run, group, instance, tests });
}
