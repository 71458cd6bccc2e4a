/**
 * §2.4 Stores the evidence of failed and flaky tests, and marks failed, flaky and skipped ones. Idempotent: an older
 * write never replaces a newer one.
 */
import { unlessNewerParts } from '#shared/engine/table/parts.ts';
import { type Delete, PRESENT, type Put, put, remove } from '#shared/engine/table/writes.ts';
import {
  type Evidence,
  evidenceParts,
  splitEvidence,
  type TestKey,
  testRows,
  testSpan,
} from '#shared/model/evidence.ts';
import {
  type Failure,
  failures,
  MARKS,
  type Mark,
  markedOfInstance,
  markOf,
  unlessNewerFailure,
} from '#shared/model/failures.ts';
import { runOfInstance } from '#shared/model/ids.ts';
import type { InstanceKey } from '#shared/model/instance.ts';
import type { CountedTest } from '#shared/model/outcomes.ts';
import type { TestRecord } from '#shared/model/test-record.ts';
import type { CoreServices } from '#shared/services.ts';

type WithTable = Pick<CoreServices, 'table'>;

export async function keepEvidence(
  { table }: WithTable,
  key: TestKey,
  evidence: Evidence,
  version: number,
): Promise<void> {
  for (const part of splitEvidence(key, evidence, version))
    await table.put(evidenceParts, part, unlessNewerParts(part));
}

/** Unconditional writes for a batch upload. */
export const evidencePuts = (key: TestKey, evidence: Evidence, version: number): Put[] =>
  splitEvidence(key, evidence, version).map((part) => put(evidenceParts, part));

/** For a batch upload. Readers ignore the other parts if the first one is missing. */
export const withoutEvidence = (key: TestKey): Delete => remove(evidenceParts, { ...key, part: 0 });

/** For a test whose earlier final message left evidence, but whose latest one does not. */
export async function dropEvidence({ table }: WithTable, key: TestKey): Promise<void> {
  const rows = await table.queryAll(testRows, testSpan(key), { consistent: true });
  await table.writeMany(rows.flatMap((row) => (row.kind === 'part' ? remove(evidenceParts, row.part) : [])));
}

/** The mark of a final test that failed, was skipped or is flaky. */
export function failureOf(record: TestRecord, counted: CountedTest): Failure | undefined {
  const { organizationId, instanceId, testKey, groupId, spec, sequence: version } = record;
  const mark = markOf(counted);
  const runId = runOfInstance(instanceId) ?? '';
  return mark && { organizationId, instanceId, testKey, groupId, spec, runId, mark, version, holds: true };
}

/** `wasFinal`: an earlier final message may have left another mark, which this call invalidates. */
export async function noteFailure(
  { table }: WithTable,
  record: TestRecord,
  { counted, wasFinal }: { readonly counted: CountedTest; readonly wasFinal: boolean },
): Promise<void> {
  const own = failureOf(record, counted);
  if (own) await table.put(failures, own, unlessNewerFailure(own));
  if (!wasFinal) return;
  const { organizationId, instanceId, testKey, groupId, spec, sequence: version } = record;
  const runId = runOfInstance(instanceId) ?? '';
  for (const mark of MARKS.filter((one) => one !== own?.mark)) {
    const other = { organizationId, instanceId, testKey, groupId, spec, runId, mark, version, holds: false };
    await table.put(failures, other, { all: [PRESENT, unlessNewerFailure(other)] });
  }
}

/** Unconditional writes for a batch upload. */
export const failurePuts = (failure: Failure | undefined): Put[] => (failure ? [put(failures, failure)] : []);

/** For a batch upload: deletes marks of these tests that an earlier upload or message left. */
export async function outdatedFailures(
  { table }: WithTable,
  instance: InstanceKey,
  marks: ReadonlyMap<string, Mark | undefined>,
): Promise<Delete[]> {
  const known = await Promise.all(
    MARKS.map((mark) => table.queryAll(failures, markedOfInstance(instance, mark), { consistent: true })),
  );
  const outdated = known.flat().filter(({ testKey, mark }) => marks.has(testKey) && marks.get(testKey) !== mark);
  return outdated.map((failure) => remove(failures, failure));
}
