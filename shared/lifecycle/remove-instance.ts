/** All that the tests of an instance left behind: history, files, records, evidence. The instance itself stays. May be repeated. */
import { mapConcurrently } from '../concurrently.ts';
import { type Artifact, artifacts, objectKey } from '../resources/artifact.ts';
import { testRows } from '../resources/evidence.ts';
import { type HistoryList, history } from '../resources/history-row.ts';
import { recordIdOf, signatureOf } from '../resources/ids.ts';
import type { Instance } from '../resources/instance.ts';
import { type DetailsPart, detailsParts, type InstanceDetails, joinDetails } from '../resources/instance-details.ts';
import { instancePartition, type TestRecord } from '../resources/test-record.ts';
import type { Services } from '../services.ts';
import { type Attributes, beginningWith } from '../table/entity.ts';
import { type Delete, keyOf, remove, removeKey } from '../table/writes.ts';

/**
 * Files first, then what leads to them: cut off anywhere, it can be begun anew. `keepRecords`: they lead to the history of
 * tests that end at this moment, and stay for another pass.
 */
export async function removeInstanceData(
  { table, artifacts: files }: Services,
  instance: Instance,
  { keepRecords = false } = {},
): Promise<void> {
  const rows = await table.queryAll(anyRow, beginningWith(instancePartition(instance), ''), { consistent: true });
  const records = rows.flatMap((row) => (row.kind === 'record' ? row.record : []));
  const details = joinDetails(rows.flatMap((row) => (row.kind === 'details' ? row.part : [])));
  await table.writeMany([...historyOfRecords(instance, records), ...historyOfUpload(instance, details)]);
  const objects = rows.flatMap((row) => (row.kind === 'file' ? row.artifact : []));
  await mapConcurrently(objects, (artifact) => files.remove(objectKey(artifact)));
  const gone = rows.filter(({ kind }) => !(keepRecords && kind === 'record'));
  await table.writeMany(gone.map(({ key }) => removeKey(key)));
}

type AnyRow = { readonly key: Delete['key'] } & (
  | { readonly kind: 'record'; readonly record: TestRecord }
  | { readonly kind: 'details'; readonly part: DetailsPart }
  | { readonly kind: 'file'; readonly artifact: Artifact }
  | { readonly kind: 'other' }
);

const anyRow = {
  load: (row: Attributes): AnyRow => {
    const key = keyOf(row);
    const [kind] = key.sk.split('#');
    if (kind === 'ARTIFACT') return { key, kind: 'file', artifact: artifacts.load(row) };
    if (kind === 'DETAILS') return { key, kind: 'details', part: detailsParts.load(row) };
    const ofTest = kind === 'TEST' ? testRows.load(row) : undefined;
    return ofTest?.kind === 'record' ? { key, kind: 'record', record: ofTest.record } : { key, kind: 'other' };
  },
};

interface Recorded {
  readonly signature: string;
  readonly recordedAt: number;
  readonly recordId: string;
}

const LISTS: readonly HistoryList[] = ['all', 'notable'];

const bothLists = ({ organizationId }: Instance, recorded: Recorded): Delete[] =>
  LISTS.map((list) => remove(history, { organizationId, list, ...recorded }));

const historyOfRecords = (instance: Instance, records: readonly TestRecord[]): Delete[] =>
  records.flatMap((record) =>
    record.finalAt === undefined
      ? []
      : bothLists(instance, {
          signature: signatureOf(record),
          recordedAt: record.finalAt,
          recordId: recordIdOf(record),
        }),
  );

/** A batch upload keeps records of failures only; its tests share the time at which they were first recorded. */
function historyOfUpload(instance: Instance, details: InstanceDetails | undefined): Delete[] {
  const { recordedAt, organizationId, spec, instanceId } = instance;
  if (recordedAt === undefined || !details) return [];
  return details.tests.flatMap(({ testId, title }) =>
    bothLists(instance, {
      signature: signatureOf({ organizationId, projectId: details.projectId, spec, title }),
      recordedAt,
      recordId: recordIdOf({ instanceId, testId }),
    }),
  );
}
