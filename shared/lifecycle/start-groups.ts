/**
 * §6 Starts the groups of a run. A group and its `RUN_START` event are written in one transaction, so concurrent
 * machines start the group only once.
 */

import { splitIntoChunks } from '#shared/engine/chunks.ts';
import { retryOptimistically } from '#shared/engine/table/optimistic.ts';
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

/**
 * Starts the groups that do not exist yet. Throws 400 if the run would have too many groups. A run that has ended in the
 * meantime is reopened.
 */
export async function startGroups(services: Services, run: Run, wanted: readonly Group[]): Promise<void> {
  // Only events of a run with several groups contain the group id. `wanted` has all groups of the suite, so this is
  // known before the first event.
  const hasSeveralGroups = new Set(wanted.map(({ groupId }) => groupId)).size > 1;
  for (const some of splitIntoChunks(wanted, LIFECYCLE_LIMITS.groupsPerTransaction))
    await retryOptimistically('groups of a run', () => startMissing(services, run, some, hasSeveralGroups));
}

async function startMissing(
  services: Services,
  key: Run,
  wanted: readonly Group[],
  hasSeveralGroups: boolean,
): Promise<boolean> {
  const { table, now } = services;
  const started = await table.getMany(groups, wanted, { consistent: true });
  const missing = wanted.filter((_, index) => started[index] === undefined);
  if (missing.length === 0) return true;
  const known = await findRun({ table }, key);
  const run = isUnderWay(known) ? known : await reopenRun(services, known);
  if (run.groupsStarted + missing.length > LIFECYCLE_LIMITS.groupsPerRun)
    throw tooManyGroups(LIFECYCLE_LIMITS.groupsPerRun);
  const events = makeRunStarted({
    run,
    groups: missing,
    instances: [],
    hasSeveralGroups: hasSeveralGroups || run.groupsStarted > 0,
    at: now(),
  });
  // The number of groups is limited, because one transaction ends the run and writes an event per group.
  const hasRoom = { path: 'groupsStarted', atMost: LIFECYCLE_LIMITS.groupsPerRun - missing.length };
  return table.transact([
    update(runs, run, { add: [['groupsStarted', missing.length]] }, { all: [UNDER_WAY, hasRoom] }),
    ...missing.map((group) => put(groups, group, ABSENT)),
    ...buildOutboxPuts(events),
  ]);
}
