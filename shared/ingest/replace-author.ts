/** Replaces the author in everything that is stored about the tests of a spec file. Changes no result. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { UnreadableBytes } from '#shared/engine/table/packed.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { type Condition, expectValue, toAssignments } from '#shared/engine/table/update.ts';
import { PRESENT, put, remove } from '#shared/engine/table/writes.ts';
import { deriveRecordId, deriveSignature } from '#shared/model/ids.ts';
import type { Author } from '#shared/model/organizations/erasure.ts';
import { testRows } from '#shared/model/results/evidence.ts';
import { type HistoryRow, history } from '#shared/model/results/history-row.ts';
import type { Instance } from '#shared/model/results/instance.ts';
import {
  type DetailsPart,
  detailsParts,
  getDetailsSpan,
  type InstanceDetails,
  joinDetails,
  splitDetails,
} from '#shared/model/results/instance-details.ts';
import { getTestRecordsSpan, type TestRecord, testRecords } from '#shared/model/results/test-record.ts';
import type { Commit } from '#shared/model/runs/commit.ts';
import { INGEST_LIMITS } from './limits.ts';

export interface Replacement {
  readonly isAuthor: (author: Author) => boolean;
  readonly replaceAuthor: (author: Author) => Author;
  readonly replaceIn: (commit: Commit) => Commit;
}

/** Returns false if the stored tests are damaged or too large to be replaced at once. */
export async function replaceAuthorOfTests(
  services: WithTable,
  instance: Instance,
  person: Replacement,
): Promise<boolean> {
  const { table } = services;
  const all = await table.queryAll(testRows, getTestRecordsSpan(instance), { consistent: true, ended: true });
  const records = all.flatMap((row) => (row.kind === 'record' ? row.record : []));
  const { isDone, details } = await retryOptimistically('tests of a spec file', async () => {
    const parts = await table.queryAll(detailsParts, getDetailsSpan(instance), { consistent: true, ended: true });
    return (await eraseDetails(services, person, parts)) ?? AGAIN;
  });
  const keys = new Map(
    [...listRecordedTests(records), ...listUploadedTests(instance, details)].map((key) => [JSON.stringify(key), key]),
  );
  const rows = await table.getMany(history, [...keys.values()], { consistent: true });
  await mapConcurrently(
    rows.flatMap((row) => (row && person.isAuthor(row) ? [row] : [])),
    (row) => table.update(history, row, makeAuthorChanges(row, person), expectAuthor(row)),
  );
  await mapConcurrently(
    records.filter((record) => person.isAuthor(record)),
    (record) => table.update(testRecords, record, makeAuthorChanges(record, person), expectAuthor(record)),
  );
  return isDone;
}

/** `undefined` if they are damaged, or if a write of several parts is not complete. */
function readDetails(parts: readonly DetailsPart[]): InstanceDetails | undefined {
  try {
    return joinDetails(parts);
  } catch (error) {
    if (error instanceof UnreadableBytes) return undefined;
    throw error;
  }
}

type HistoryKey = Pick<HistoryRow, 'organizationId' | 'signature' | 'list' | 'recordedAt' | 'recordId'>;

const listInBoth = (key: Omit<HistoryKey, 'list'>): HistoryKey[] =>
  (['all', 'notable'] as const).map((list) => ({ ...key, list }));

const listRecordedTests = (records: readonly TestRecord[]): HistoryKey[] =>
  records.flatMap((record) => {
    const { finalAt: recordedAt, organizationId } = record;
    if (recordedAt === undefined) return [];
    const signature = deriveSignature(record);
    return listInBoth({ organizationId, signature, recordedAt, recordId: deriveRecordId(record) });
  });

/** All uploaded tests share one `recordedAt`. */
function listUploadedTests(
  { recordedAt, organizationId, spec, instanceId }: Instance,
  details: InstanceDetails | undefined,
): HistoryKey[] {
  if (recordedAt === undefined || !details) return [];
  const { projectId } = details;
  return details.tests.flatMap(({ testId, title }) => {
    const signature = deriveSignature({ organizationId, projectId, spec, title });
    return listInBoth({ organizationId, signature, recordedAt, recordId: deriveRecordId({ instanceId, testId }) });
  });
}

/** The attributes of `model/results/execution.ts`. */
const NAME = 'n';
const ADDRESS = 'l';

function makeAuthorChanges(author: Author, { replaceAuthor }: Replacement) {
  const { authorName, authorEmail } = replaceAuthor(author);
  return { set: toAssignments({ [NAME]: authorName ?? undefined, [ADDRESS]: authorEmail ?? undefined }) };
}

const expectAuthor = ({ authorName, authorEmail }: Author) => ({
  all: [
    PRESENT,
    ...(authorName === null ? [] : [{ path: NAME, equals: authorName }]),
    ...(authorEmail === null ? [] : [{ path: ADDRESS, equals: authorEmail }]),
  ],
});

interface ErasedDetails {
  readonly isDone: boolean;
  readonly details: InstanceDetails | undefined;
}

/**
 * One transaction: some tests are stored nowhere else, so a half-replaced value must never exist. Returns `undefined`
 * if a result arrived meanwhile.
 */
async function eraseDetails(
  { table }: WithTable,
  person: Replacement,
  parts: readonly DetailsPart[],
): Promise<ErasedDetails | undefined> {
  const [first] = parts;
  if (!first) return { isDone: true, details: undefined };
  const details = readDetails(parts);
  if (!details || parts.length > INGEST_LIMITS.replacedParts) return { isDone: false, details };
  if (!person.isAuthor(details.commit)) return { isDone: true, details };
  const commit = person.replaceIn(details.commit);
  const { version, expiresAt, digest } = first;
  const newParts = splitDetails({ ...details, commit }, { version, expiresAt });
  const isUnchanged: Condition = { all: [{ path: 'version', equals: version }, expectValue('digest', digest)] };
  const isWritten = await table.transact([
    ...newParts.map((part) => put(detailsParts, part, part.part === 0 ? isUnchanged : undefined)),
    ...parts.slice(newParts.length).map((part) => remove(detailsParts, part)),
  ]);
  return isWritten ? { isDone: true, details } : undefined;
}
