/** §6 A group and its `RUN_START` event are written in one transaction, so concurrent machines start it only once. */

import { splitIntoChunks } from '#shared/engine/chunks.ts';
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { ABSENT, put, update } from '#shared/engine/table/writes.ts';
import { buildOutboxPuts } from '#shared/events/outbox-puts.ts';
import { makeRunStarted } from '#shared/events/run-events.ts';
import { type Group, groups } from '#shared/model/runs/group.ts';
import { isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { tooManyGroups } from './errors.ts';
import { findRun } from './find-run.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';
import { reopenRun } from './reopen-run.ts';
import { UNDER_WAY } from './states.ts';

/** Throws 400 if the run would have too many groups. A run that has ended in the meantime is reopened. */
export async function ensureGroups(services: Services, run: Run, suiteGroups: readonly Group[]): Promise<void> {
  // Only events of a run with several groups contain the group id. `suiteGroups` has all groups of the suite, so this
  // is known before the first event.
  const hasSeveralGroups = new Set(suiteGroups.map(({ groupId }) => groupId)).size > 1;
  for (const chunk of splitIntoChunks(suiteGroups, LIFECYCLE_LIMITS.groupsPerTransaction))
    await retryOptimistically(
      'groups of a run',
      async () => (await createMissingGroups(services, run, chunk, hasSeveralGroups)) || AGAIN,
    );
}

async function createMissingGroups(
  services: Services,
  key: Run,
  chunk: readonly Group[],
  hasSeveralGroups: boolean,
): Promise<boolean> {
  const { table, now } = services;
  const storedGroups = await table.getMany(groups, chunk, { consistent: true });
  const missingGroups = chunk.filter((_, index) => storedGroups[index] === undefined);
  if (missingGroups.length === 0) return true;
  const storedRun = await findRun({ table }, key);
  const run = isUnderWay(storedRun) ? storedRun : await reopenRun(services, storedRun);
  if (run.groupsStarted + missingGroups.length > LIFECYCLE_LIMITS.groupsPerRun)
    throw tooManyGroups(LIFECYCLE_LIMITS.groupsPerRun);
  const events = makeRunStarted({
    run,
    groups: missingGroups,
    instances: [],
    hasSeveralGroups: hasSeveralGroups || run.groupsStarted > 0,
    at: now(),
  });
  // The number of groups is limited, because one transaction ends the run and writes an event per group.
  const hasRoom = { path: 'groupsStarted', atMost: LIFECYCLE_LIMITS.groupsPerRun - missingGroups.length };
  return table.transact([
    update(runs, run, { add: [['groupsStarted', missingGroups.length]] }, { all: [UNDER_WAY, hasRoom] }),
    ...missingGroups.map((group) => put(groups, group, ABSENT)),
    ...buildOutboxPuts(services, events),
  ]);
}
