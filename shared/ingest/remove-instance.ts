/**
 * Deletes the history, files, records and evidence of the tests of an instance. The instance itself stays. Idempotent.
 */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { Attributes } from '#shared/engine/table/entity.ts';
import { type Delete, getRowKey, removeKey } from '#shared/engine/table/writes.ts';
import { deriveRecordId, deriveSignature } from '#shared/model/ids.ts';
import { type Artifact, artifacts, getObjectKey, getUploadKey } from '#shared/model/results/artifact.ts';
import { testRows } from '#shared/model/results/evidence.ts';
import type { Instance } from '#shared/model/results/instance.ts';
import {
  type DetailsPart,
  detailsParts,
  type InstanceDetails,
  joinDetails,
} from '#shared/model/results/instance-details.ts';
import { extractRuleId, isRuleRow, type TestRecord } from '#shared/model/results/test-record.ts';
import type { FinalTest } from '#shared/model/runs/removal.ts';
import { listInstanceSpans, listTestRowKeys } from '#shared/model/runs/rows-of-run.ts';
import type { Services } from '#shared/services.ts';
import { noteRemoved } from '#shared/usage/stored-bytes.ts';
import { listMatchedActionIds } from './affected-rows.ts';

/**
 * Deletes the rows of the tests last, because the history and the files are found through these rows. An interrupted
 * call can therefore be repeated. `keep` names the kinds of rows that stay. When a run is deleted, the first pass keeps
 * the records for the second pass, because tests in progress may still write history.
 */
export async function removeInstanceData(
  { table, artifacts: files }: Services,
  instance: Instance,
  { keep = [] }: { readonly keep?: readonly AnyRow['kind'][] } = {},
): Promise<void> {
  const spans = listInstanceSpans(instance);
  const rowsBySpan = await Promise.all(
    spans.map((span) => table.queryAll(anyRow, span, { consistent: true, ended: true })),
  );
  const rows = rowsBySpan.flat();
  const records = rows.flatMap((row) => (row.kind === 'record' ? row.record : []));
  const details = joinDetails(rows.flatMap((row) => (row.kind === 'details' ? row.part : [])));
  await table.writeMany([
    ...planRecordHistoryRemoval(instance.organizationId, records),
    ...planUploadHistoryRemoval(instance, details),
  ]);
  const objects = rows.flatMap((row) => (row.kind === 'file' ? row.artifact : []));
  const keys = objects.flatMap((artifact) => [getObjectKey(artifact), getUploadKey(artifact)]);
  await mapConcurrently(keys, (key) => files.remove(key));
  const rowsToRemove = rows.filter(({ kind }) => !keep.includes(kind));
  await table.writeMany(rowsToRemove.map(({ key }) => removeKey(key)));
  await noteRemoved({ table }, instance, objects);
}

type AnyRow = { readonly key: Delete['key'] } & (
  | { readonly kind: 'record'; readonly record: TestRecord }
  | { readonly kind: 'details'; readonly part: DetailsPart }
  | { readonly kind: 'file'; readonly artifact: Artifact }
  | { readonly kind: 'dueFiles' | 'reset' | 'suite' | 'other' }
);

const anyRow = {
  load: (row: Attributes): AnyRow => {
    const key = getRowKey(row);
    const [partition] = key.pk.split('#');
    if (partition !== 'INSTANCE') return { key, kind: partition === 'DUE' ? 'dueFiles' : 'other' };
    const [kind] = key.sk.split('#');
    if (kind === 'ARTIFACT') return { key, kind: 'file', artifact: artifacts.load(row) };
    if (kind === 'DETAILS') return { key, kind: 'details', part: detailsParts.load(row) };
    if (kind === 'RESET') return { key, kind: 'reset' };
    if (kind === 'SUITE') return { key, kind: 'suite' };
    const ofTest = kind === 'TEST' ? testRows.load(row) : undefined;
    return ofTest?.kind === 'record' ? { key, kind: 'record', record: ofTest.record } : { key, kind: 'other' };
  },
};

export const planRecordHistoryRemoval = (organizationId: string, records: readonly TestRecord[]): Delete[] =>
  records
    .flatMap((record): FinalTest[] => {
      const { finalAt: recordedAt } = record;
      if (recordedAt === undefined) return [];
      const { projectId, kept = [] } = record;
      const keptActionIds = kept.filter(isRuleRow).map(extractRuleId);
      const actionIds = [...new Set([...keptActionIds, ...listMatchedActionIds(record)])];
      const recordId = deriveRecordId(record);
      return [{ organizationId, projectId, signature: deriveSignature(record), recordedAt, recordId, actionIds }];
    })
    .flatMap(listTestRowKeys)
    .map(removeKey);

/** All uploaded tests share one `recordedAt`. `planRecordHistoryRemoval` also covers those that have a record. */
function planUploadHistoryRemoval(instance: Instance, details: InstanceDetails | undefined): Delete[] {
  const { recordedAt, organizationId, spec, instanceId } = instance;
  if (recordedAt === undefined || !details) return [];
  const { projectId, tests } = details;
  return tests
    .map(({ testId, title, annotations }): FinalTest => {
      const signature = deriveSignature({ organizationId, projectId, spec, title });
      const actionIds = listMatchedActionIds({ projectId, annotations });
      return {
        organizationId,
        projectId,
        signature,
        recordedAt,
        recordId: deriveRecordId({ instanceId, testId }),
        actionIds,
      };
    })
    .flatMap(listTestRowKeys)
    .map(removeKey);
}
