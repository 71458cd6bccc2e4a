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

/**
 * Throws 400 if the run would have too many groups. A run that has ended in the meantime is reopened. Returns the groups
 * as they are stored.
 */
export async function ensureGroups(services: Services, run: Run, suiteGroups: readonly Group[]): Promise<Group[]> {
  // Only events of a run with several groups contain the group id. `suiteGroups` has all groups of the suite, so this
  // is known before the first event.
  const hasSeveralGroups = new Set(suiteGroups.map(({ groupId }) => groupId)).size > 1;
  const storedGroups: Group[] = [];
  for (const chunk of splitIntoChunks(suiteGroups, LIFECYCLE_LIMITS.groupsPerTransaction)) {
    const chunkGroups = await retryOptimistically(
      'groups of a run',
      async () => (await createMissingGroups(services, run, chunk, hasSeveralGroups)) ?? AGAIN,
    );
    storedGroups.push(...chunkGroups);
  }
  return storedGroups;
}

/** Groups are never removed from a run, so one that an eventually consistent read returns exists. */
async function readStoredGroups({ table }: Services, chunk: readonly Group[]): Promise<readonly (Group | undefined)[]> {
  const recentGroups = await table.getMany(groups, chunk);
  return recentGroups.includes(undefined) ? table.getMany(groups, chunk, { consistent: true }) : recentGroups;
}

async function createMissingGroups(
  services: Services,
  key: Run,
  chunk: readonly Group[],
  hasSeveralGroups: boolean,
): Promise<Group[] | undefined> {
  const { table, now } = services;
  const storedGroups = await readStoredGroups(services, chunk);
  const missingGroups = chunk.filter((_, index) => storedGroups[index] === undefined);
  const allGroups = chunk.map((group, index) => storedGroups[index] ?? group);
  if (missingGroups.length === 0) return allGroups;
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
  const areStored = await table.transact([
    update(runs, run, { add: [['groupsStarted', missingGroups.length]] }, { all: [UNDER_WAY, hasRoom] }),
    ...missingGroups.map((group) => put(groups, group, ABSENT)),
    ...buildOutboxPuts(services, events),
  ]);
  return areStored ? allGroups : undefined;
}
