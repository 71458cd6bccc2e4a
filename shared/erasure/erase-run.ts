/** Replaces the author of one run: in its own row, the rows of its tests, its search words and its import. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { UnreadableBytes } from '#shared/engine/table/packed.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { type Condition, expectValue, toAssignments } from '#shared/engine/table/update.ts';
import { PRESENT, put, remove } from '#shared/engine/table/writes.ts';
import { deriveRecordId, deriveSignature } from '#shared/model/ids.ts';
import { type Author, replaceAuthor } from '#shared/model/organizations/erasure.ts';
import { testRows } from '#shared/model/results/evidence.ts';
import { type HistoryRow, history } from '#shared/model/results/history-row.ts';
import { type Instance, instances } from '#shared/model/results/instance.ts';
import {
  type DetailsPart,
  detailsParts,
  getDetailsSpan,
  type InstanceDetails,
  joinDetails,
  splitDetails,
} from '#shared/model/results/instance-details.ts';
import { getTestRecordsSpan, type TestRecord, testRecords } from '#shared/model/results/test-record.ts';
import { imports } from '#shared/model/runs/import.ts';
import { getRunMembersSpan, type Run, runs } from '#shared/model/runs/run.ts';
import { listRunWords, runWords, splitWords } from '#shared/model/runs/run-word.ts';
import { anonymizeCommit } from '#shared/organizations/erased-commit.ts';
import { ERASURE_LIMITS } from './limits.ts';
import type { SearchedPerson } from './searched-person.ts';

/** The number of spec files that were left as they are. */
export interface ErasedRun {
  readonly left: number;
}

/**
 * The row of the run comes first, so that requests from then on write the pseudonym. The run is found again by it: an
 * interrupted call is repeated.
 */
export async function eraseRun(services: WithTable, person: SearchedPerson, run: Run): Promise<ErasedRun> {
  const { table } = services;
  await person.rememberName(services, run.commit);
  const commit = person.isAuthor(run.commit) ? anonymizeCommit(run.commit, person.pseudonym) : run.commit;
  if (commit !== run.commit) await table.update(runs, run, { set: [['commit', commit]] }, PRESENT);
  const erasedRun: Run = { ...run, commit };
  await eraseWords(services, person, erasedRun);
  await eraseImport(services, person, erasedRun);
  const all = await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), { consistent: true, ended: true });
  let left = 0;
  for (const instance of all) if (!(await eraseInstance(services, person, instance))) left += 1;
  return { left };
}

/** Words that the run has for another reason stay, such as one of its commit message. */
async function eraseWords({ table }: WithTable, person: SearchedPerson, run: Run): Promise<void> {
  const words = listRunWords(run);
  const keptWords = new Set(words);
  const oldWords = splitWords([person.address, ...person.names].join(' ')).filter((word) => !keptWords.has(word));
  const isEnded = run.endedAt !== undefined;
  await table.writeMany([
    ...oldWords.map((word) => remove(runWords, { ...run, word })),
    ...(isEnded ? words.map((word) => put(runWords, { ...run, word, expiresAt: run.expiry.results })) : []),
  ]);
}

async function eraseImport({ table }: WithTable, person: SearchedPerson, { importId, ...run }: Run): Promise<void> {
  if (importId === undefined) return;
  const row = await table.get(imports, { ...run, importId }, { consistent: true });
  const { author = null, authorEmail = null } = row?.options ?? {};
  const sent = { authorName: author, authorEmail };
  if (!row || !person.isAuthor(sent)) return;
  const replaced = replaceAuthor(sent, person.pseudonym);
  const set = toAssignments({
    author: replaced.authorName ?? undefined,
    authorEmail: replaced.authorEmail ?? undefined,
  });
  await table.update(imports, row, { set: set.map(([name, value]) => [['options', name], value] as const) }, PRESENT);
}

/** Returns false if the stored tests are damaged or too large to be replaced at once. */
async function eraseInstance(services: WithTable, person: SearchedPerson, instance: Instance): Promise<boolean> {
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

function makeAuthorChanges(author: Author, { pseudonym }: SearchedPerson) {
  const { authorName, authorEmail } = replaceAuthor(author, pseudonym);
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
  person: SearchedPerson,
  parts: readonly DetailsPart[],
): Promise<ErasedDetails | undefined> {
  const [first] = parts;
  if (!first) return { isDone: true, details: undefined };
  const details = readDetails(parts);
  if (!details || parts.length > ERASURE_LIMITS.detailsParts) return { isDone: false, details };
  if (!person.isAuthor(details.commit)) return { isDone: true, details };
  const commit = anonymizeCommit(details.commit, person.pseudonym);
  const { version, expiresAt, digest } = first;
  const newParts = splitDetails({ ...details, commit }, { version, expiresAt });
  const isUnchanged: Condition = { all: [{ path: 'version', equals: version }, expectValue('digest', digest)] };
  const isWritten = await table.transact([
    ...newParts.map((part) => put(detailsParts, part, part.part === 0 ? isUnchanged : undefined)),
    ...parts.slice(newParts.length).map((part) => remove(detailsParts, part)),
  ]);
  return isWritten ? { isDone: true, details } : undefined;
}
