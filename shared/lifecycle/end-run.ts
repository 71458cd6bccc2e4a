/** §3 Ends a run and writes its events in one transaction. Of several concurrent calls, only one ends the run. */

import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { type Condition, toAssignments } from '#shared/engine/table/update.ts';
import { PRESENT, put, remove, update, type Write } from '#shared/engine/table/writes.ts';
import { buildOutboxPuts } from '#shared/events/outbox-puts.ts';
import { makeRunEnded } from '#shared/events/run-events.ts';
import { markEnded, markEndedAgain } from '#shared/model/analytics/pending.ts';
import { dueRuns } from '#shared/model/due.ts';
import type { RunEnding } from '#shared/model/events/domain-event.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { type Instance, instances } from '#shared/model/results/instance.ts';
import { completeRuns, hashGroups } from '#shared/model/runs/complete-run.ts';
import { groups } from '#shared/model/runs/group.ts';
import { getRunMembersSpan, isUnderWay, type Listing, type Run, runs } from '#shared/model/runs/run.ts';
import { updateRunOfCommit } from '#shared/model/runs/run-of-commit.ts';
import { markStopped } from '#shared/model/runs/stopped-run.ts';
import { keepIfStorable, summarizeGroups } from '#shared/results/runs/group-summary.ts';
import type { Services } from '#shared/services.ts';
import { pickGroupsToAnnounce } from './announced.ts';
import { updateVerdict } from './judge-run.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';
import { findRepeatedTests } from './repeated-tests.ts';
import { refreshOpenInstances } from './settle-run.ts';
import { deriveEndState, requireTransition } from './states.ts';

interface EndOptions {
  readonly ending: RunEnding;
  readonly cancellation?: Run['cancellation'];
  /** Called with the current rows at each attempt. The run does not end if this function returns `undefined`. */
  readonly when?: (run: Run, instances: readonly Instance[]) => Condition | undefined;
}

/** Returns `undefined` if this call did not end the run. */
export async function endRun(services: Services, key: RunKey, options: EndOptions): Promise<Run | undefined> {
  const { table } = services;
  const endedRun = await retryOptimistically('end of a run', async () => {
    const run = await table.get(runs, key, { consistent: true });
    if (!run || !isUnderWay(run)) return undefined;
    if (options.ending !== 'finish') await refreshOpenInstances(services, run, { hasEnded: false });
    const all = await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), { consistent: true });
    const when = options.when ? options.when(run, all) : PRESENT;
    if (!when) return undefined;
    return (await tryToEnd(services, { run, instances: all }, options, when)) ?? AGAIN;
  });
  if (!endedRun || options.ending === 'finish') return endedRun;
  await refreshOpenInstances(services, key, { hasEnded: true });
  // Results that arrived after the instances were read found the run in progress, and did not update the status.
  await updateVerdict(services, key);
  return endedRun;
}

async function tryToEnd(
  services: Services,
  { run, instances: all }: { readonly run: Run; readonly instances: readonly Instance[] },
  { ending, cancellation }: EndOptions,
  when: Condition,
): Promise<Run | undefined> {
  const { table, now } = services;
  const isFinish = ending === 'finish';
  const members = await table.queryAll(groups, getRunMembersSpan(run, 'GROUP'), { consistent: true });
  const groupIds = members.map(({ groupId }) => groupId);
  const endedAt = cancellation?.canceledAt ?? now();
  const state = deriveEndState(ending, run, all);
  const endedRun: Run = { ...run, ...state, endedAt, cancellation };
  // Tests of a cancelled or timed-out run may still report, so a stored summary would soon be outdated.
  const summary = isFinish ? keepIfStorable(summarizeGroups(endedRun, members, all, endedAt)) : undefined;
  const events = makeRunEnded(ending, {
    run: endedRun,
    groups: isFinish ? pickGroupsToAnnounce(run, { status: state.status, members, instances: all }) : members,
    instances: all,
    hasSeveralGroups: members.length > 1,
    sameVerdict: run.announced?.status === state.status,
    at: endedAt,
  });
  const listing = isFinish ? makeListing(run, groupIds) : undefined;
  const changes: Partial<Run> = {
    ...state,
    endedAt,
    cancellation,
    listed: listing,
    groups: summary,
    repeated: await findRepeatedTests(services, all),
    // Requests that read the run before it ended may still store results. A scheduled sweep counts these results later.
    dueAt: isFinish ? undefined : now() + LIFECYCLE_LIMITS.settlePauseMilliseconds,
  };
  const isUnchanged = {
    all: [
      requireTransition(ending),
      // If a test failed in the meantime, the status is FAILING, and the next attempt reads the instances again.
      requireUnchanged('status', run),
      // Fails if a group started in the meantime, because no event would report the end of that group.
      requireUnchanged('groupsStarted', run),
      when,
    ],
  };
  const set = toAssignments(changes);
  const writes: Write[] = [
    update(runs, run, { set, remove: listMarksToRemove(run, ending) }, isUnchanged),
    ...buildOutboxPuts(services, events),
    ...updateRunOfCommit(endedRun, { groupIds, instances: all }),
    ...moveDue(run, changes.dueAt),
  ];
  if (listing) writes.push(put(completeRuns, { ...run, ...listing, expiresAt: run.expiry.results }));
  if (!isFinish) writes.push(...markStopped(run, run.expiry.results));
  if (run.ends === undefined) writes.push(...markEnded(run, endedAt));
  else writes.push(...markEndedAgain(run, endedAt));
  return (await table.transact(writes)) ? endedRun : undefined;
}

/** The marks of a run that was reopened before. */
function listMarksToRemove({ ends }: Run, ending: RunEnding): string[] {
  if (ends === undefined) return [];
  return ending === 'finish' ? ['announced', 'lingers'] : ['announced'];
}

/** The entry in the list of complete runs. Later runs are compared only with these, as others lack results. */
const makeListing = ({ commit: { branch } }: Run, groupIds: readonly string[]): Listing | undefined =>
  branch ? { branch, groups: hashGroups(groupIds) } : undefined;

/** `undefined` removes the entry. An unchanged time writes nothing: a transaction cannot remove and write one row. */
function moveDue(run: Run, dueAt: number | undefined): Write[] {
  if (dueAt === run.dueAt) return [];
  const { organizationId, runId } = run;
  return [remove(dueRuns, run), ...(dueAt === undefined ? [] : [put(dueRuns, { organizationId, runId, dueAt })])];
}

const requireUnchanged = (path: 'status' | 'groupsStarted', run: Run): Condition => ({ path, equals: run[path] });
