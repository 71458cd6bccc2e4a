/** §3 A run ends, in one transaction with all that is to be told of it. Of several who would end it, exactly one does. */

import { outboxPuts } from '../events/outbox-puts.ts';
import { eventsOf } from '../events/payload.ts';
import { optimistically } from '../optimistic.ts';
import { isFailure } from '../outcomes.ts';
import { dueRuns } from '../resources/due.ts';
import { groups } from '../resources/group.ts';
import { instances, reportedTests } from '../resources/instance.ts';
import { type GroupSummary, membersSpan, type Run, runs } from '../resources/run.ts';
import { summarize } from '../results/group-summary.ts';
import type { Services } from '../services.ts';
import type { Condition } from '../table/update.ts';
import { remove, update } from '../table/writes.ts';
import { type Ending, endState, isUnderWay, mayPass, TRANSITIONS } from './states.ts';

type RunKey = Pick<Run, 'organizationId' | 'runId'>;

interface HowItEnds {
  readonly ending: Ending;
  readonly cancellation?: Run['cancellation'];
  /** Asked anew of the run as it is at each try; the run does not end where it answers `undefined`. */
  readonly when?: (run: Run) => Promise<Condition | undefined> | Condition | undefined;
}

/** The run as it ended, by this call; `undefined` where another one had ended it, or it does not exist. */
export async function endRun(services: Services, key: RunKey, how: HowItEnds): Promise<Run | undefined> {
  const { table } = services;
  let ended: Run | undefined;
  await optimistically('end of a run', async () => {
    const run = await table.get(runs, key, { consistent: true });
    if (!run || !isUnderWay(run)) return true;
    const when = how.when ? await how.when(run) : ALWAYS;
    if (!when) return true;
    const written = await tryToEnd(services, run, how, when);
    ended = written;
    return written !== undefined;
  });
  return ended;
}

const ALWAYS: Condition = { present: 'pk' };

async function tryToEnd(
  { table, now, origin }: Services,
  run: Run,
  { ending, cancellation }: HowItEnds,
  when: Condition,
): Promise<Run | undefined> {
  const [members, all] = await Promise.all([
    table.queryAll(groups, membersSpan(run, 'GROUP'), { consistent: true }),
    table.queryAll(instances, membersSpan(run, 'INSTANCE'), { consistent: true }),
  ]);
  const endedAt = cancellation?.canceledAt ?? now();
  const failed = all.some((instance) => reportedTests(instance).some(({ outcome }) => isFailure(outcome)));
  const state = endState(ending, failed);
  const after: Run = { ...run, ...state, endedAt, ...(cancellation ? { cancellation } : {}) };
  // Where tests are still to report, readers count live: the summary of a run that was broken off would be outdated at once.
  const summary = ending === 'finish' ? { groups: summarize(after, members, all, endedAt) } : {};
  const events = eventsOf(origin, {
    event: TRANSITIONS[ending].emits,
    run: after,
    groups: members,
    instances: all,
    several: members.length > 1,
    at: endedAt,
  });
  const written: Partial<Run> & { readonly groups?: readonly GroupSummary[] } = {
    ...state,
    endedAt,
    ...(cancellation ? { cancellation } : {}),
    ...summary,
  };
  const done = await table.transact([
    // A group that starts at this moment would otherwise start in a run that has ended, and nobody would tell of its end.
    update(
      runs,
      run,
      { set: Object.entries(written) },
      {
        all: [mayPass(ending), { path: 'groupsStarted', equals: run.groupsStarted }, when],
      },
    ),
    ...outboxPuts(events),
    remove(dueRuns, run),
  ]);
  return done ? after : undefined;
}
