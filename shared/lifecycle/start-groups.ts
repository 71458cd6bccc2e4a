/** §6 A group starts with its run's first word of it, once, however many machines bring it: its row and `RUN_START` are one transaction. */

import { notFound, refuse } from '../errors.ts';
import { outboxPuts } from '../events/outbox-puts.ts';
import { eventsOf } from '../events/payload.ts';
import { LIMITS } from '../limits.ts';
import { optimistically } from '../optimistic.ts';
import { type Group, groups } from '../resources/group.ts';
import { type Run, runs } from '../resources/run.ts';
import type { Services } from '../services.ts';
import { ABSENT, put, update } from '../table/writes.ts';
import { refuseEnded } from './refuse-ended.ts';
import { UNDER_WAY } from './states.ts';

/** Those that are there already stay as they are. A run that has ended takes no new one: 422. */
export async function startGroups(services: Services, run: Run, wanted: readonly Group[]): Promise<void> {
  // What a suite names is known at once, so that each of its events can say which group it is about.
  const several = new Set(wanted.map(({ groupId }) => groupId)).size > 1;
  for (let start = 0; start < wanted.length; start += LIMITS.groupsPerTransaction) {
    const some = wanted.slice(start, start + LIMITS.groupsPerTransaction);
    await optimistically('groups of a run', () => startMissing(services, run, some, several));
  }
}

async function startMissing(
  { table, now, origin }: Services,
  key: Run,
  wanted: readonly Group[],
  several: boolean,
): Promise<boolean> {
  const known = await table.getMany(groups, wanted, { consistent: true });
  const missing = wanted.filter((_, index) => known[index] === undefined);
  if (missing.length === 0) return true;
  const run = (await table.get(runs, key, { consistent: true })) ?? refuse(notFound('Run'));
  refuseEnded(run);
  const events = eventsOf(origin, {
    event: 'RUN_START',
    run,
    groups: missing,
    instances: [],
    several: several || run.groupsStarted > 0,
    at: now(),
  });
  return table.transact([
    update(runs, run, { add: [['groupsStarted', missing.length]] }, UNDER_WAY),
    ...missing.map((group) => put(groups, group, ABSENT)),
    ...outboxPuts(events),
  ]);
}
