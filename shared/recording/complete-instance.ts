/** Every expected test of an instance is final: its details become one item, and its run may be complete, too. */

import { completeRun } from '../lifecycle/complete-run.ts';
import { optimistically } from '../optimistic.ts';
import { testRows } from '../resources/evidence.ts';
import { groups } from '../resources/group.ts';
import { type Instance, instances, isComplete } from '../resources/instance.ts';
import { detailsParts, type RecordedTest, splitDetails } from '../resources/instance-details.ts';
import { runs } from '../resources/run.ts';
import { testRecordsSpan } from '../resources/test-record.ts';
import { detailsOf, recordedTest } from '../results/instance-details.ts';
import type { Services } from '../services.ts';
import { PRESENT, update } from '../table/writes.ts';
import type { Parents } from './execution-of.ts';

/** For streamed tests, whose records are the truth. */
export async function completeInstance(services: Services, instance: Instance): Promise<void> {
  const { table } = services;
  const run = await table.get(runs, instance, { consistent: true });
  if (!run) throw new Error(`The run ${instance.runId} of an instance does not exist`);
  const rows = await table.queryAll(testRows, testRecordsSpan(instance), { consistent: true });
  const records = rows.flatMap((row) => (row.kind === 'record' ? row.record : []));
  const group = await table.get(groups, instance);
  const completedAt = await countInstance(services, instance, instance.completedAt ?? services.now());
  const tests = records.map(recordedTest);
  await storeDetails(services, { run, group, instance: { ...instance, completedAt }, tests });
  await completeRun(services, run);
}

/** Versions follow the changes of the instance: details read before a later change never replace those read after it. */
export async function storeDetails(
  { table }: Services,
  parts: Parents & { readonly tests: readonly RecordedTest[] },
): Promise<void> {
  const { version } = parts.instance;
  const newest = { any: [{ absent: 'pk' }, { path: 'version', atMost: version }] };
  for (const part of splitDetails(detailsOf(parts), version)) await table.put(detailsParts, part, newest);
}

/** Exactly once per instance: the mark and the count are one transaction. Answers the time that is marked. */
export async function countInstance({ table }: Services, known: Instance, completedAt: number): Promise<number> {
  let instance: Instance | undefined = known;
  await optimistically('completed instances of a run', async () => {
    // A reset may have opened it again, and a deletion taken it away.
    if (!instance || instance.completedAt !== undefined || !isComplete(instance)) return true;
    const unchanged = { all: [{ absent: 'completedAt' }, { path: 'version', equals: instance.version }] };
    const counted = await table.transact([
      update(instances, instance, { set: [['completedAt', completedAt]] }, unchanged),
      update(runs, instance, { add: [['instancesComplete', 1]] }, PRESENT),
    ]);
    if (counted) return true;
    // Somebody counted it before, or it or its run was changed at this moment.
    instance = await table.get(instances, known, { consistent: true });
    return false;
  });
  return instance?.completedAt ?? completedAt;
}
