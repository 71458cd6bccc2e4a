/** Every expected test of an instance is final: its details become one item, and its run may be complete, too. */

import { optimistically } from '../optimistic.ts';
import { testRows } from '../resources/evidence.ts';
import { groups } from '../resources/group.ts';
import { type Instance, instances } from '../resources/instance.ts';
import { detailsParts, type RecordedTest, splitDetails } from '../resources/instance-details.ts';
import { runs } from '../resources/run.ts';
import { testRecordsSpan } from '../resources/test-record.ts';
import { detailsOf, recordedTest } from '../results/instance-details.ts';
import type { Services } from '../services.ts';
import { update } from '../table/writes.ts';
import { completeRun } from './complete-run.ts';
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
export async function countInstance({ table }: Services, instance: Instance, completedAt: number): Promise<number> {
  let marked = instance.completedAt;
  await optimistically('completed instances of a run', async () => {
    if (marked !== undefined) return true;
    const counted = await table.transact([
      update(instances, instance, { set: [['completedAt', completedAt]] }, { absent: 'completedAt' }),
      update(runs, instance, { add: [['instancesComplete', 1]] }),
    ]);
    // Either somebody counted it before, or another instance of the run was counted at this moment.
    marked = counted ? completedAt : (await table.get(instances, instance, { consistent: true }))?.completedAt;
    return marked !== undefined;
  });
  return marked ?? completedAt;
}
