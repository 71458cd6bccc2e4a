/** §2.4 Keeps what failed and flaky tests left behind, and which they are. May be repeated; an older writing never wins. */
import type { CountedTest } from '../outcomes.ts';
import {
  type Evidence,
  evidenceParts,
  splitEvidence,
  type TestKey,
  testRows,
  testSpan,
} from '../resources/evidence.ts';
import { failures, type Mark } from '../resources/failures.ts';
import { type Instance, resultsOf } from '../resources/instance.ts';
import type { Services } from '../services.ts';
import { unlessNewerParts } from '../table/parts.ts';
import { type Delete, type Put, put, remove } from '../table/writes.ts';

export async function keepEvidence(
  { table }: Services,
  key: TestKey,
  evidence: Evidence,
  version: number,
): Promise<void> {
  for (const part of splitEvidence(key, evidence, version))
    await table.put(evidenceParts, part, unlessNewerParts(part));
}

/** For a batch, whose rows are written together. */
export const evidencePuts = (key: TestKey, evidence: Evidence, version: number): Put[] =>
  splitEvidence(key, evidence, version).map((part) => put(evidenceParts, part));

/** Likewise. Without its first part the rest of it is nothing. */
export const withoutEvidence = (key: TestKey): Delete => remove(evidenceParts, { ...key, part: 0 });

/** Of a test that had failed, and passed clean in a later message. */
export async function dropEvidence({ table }: Services, key: TestKey): Promise<void> {
  const rows = await table.queryAll(testRows, testSpan(key), { consistent: true });
  await table.writeMany(rows.flatMap((row) => (row.kind === 'part' ? remove(evidenceParts, row.part) : [])));
}

/** After a change of the instance's results. */
export async function noteFailures({ table }: Services, instance: Instance): Promise<void> {
  const { organizationId, runId, instanceId, groupId, spec, version } = instance;
  const marks = marksOf(instance);
  const row = { organizationId, runId, instanceId, groupId, spec, version, marks };
  // Where nothing failed there is only something to write if something had.
  const isThere = Object.keys(marks).length > 0 ? [] : [{ present: 'pk' }];
  await table.put(failures, row, { all: [...isThere, unlessNewerParts(row)] });
}

const marksOf = (instance: Pick<Instance, 'results'>): Record<string, Mark> =>
  Object.fromEntries(
    resultsOf(instance).flatMap(([testKey, result]) => {
      const mark = markOf(result);
      return mark === undefined ? [] : [[testKey, mark]];
    }),
  );

function markOf({ outcome, flaky }: CountedTest): Mark | undefined {
  if (outcome === 'failed') return 'f';
  if (outcome === 'skipped') return 's';
  return flaky ? 'y' : undefined;
}
