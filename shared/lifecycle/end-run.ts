/**
 * §3 Ends a run and writes its events in one transaction. If several calls run concurrently, only one of them ends the
 * run.
 */

import { retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { type Condition, toAssignments } from '#shared/engine/table/update.ts';
import { PRESENT, put, remove, update, type Write } from '#shared/engine/table/writes.ts';
import { buildOutboxPuts } from '#shared/events/outbox-puts.ts';
import { makeRunEnded } from '#shared/events/run-events.ts';
import { markEnded, markEndedAgain } from '#shared/model/analytics/pending.ts';
import { dueRuns } from '#shared/model/due.ts';
import type { RunEnding } from '#shared/model/events/domain-event.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { completeRuns, hashGroups } from '#shared/model/runs/complete-run.ts';
import { groups } from '#shared/model/runs/group.ts';
import { getRunMembersSpan, isUnderWay, type Listing, type Run, runs } from '#shared/model/runs/run.ts';
import { updateRunOfCommit } from '#shared/model/runs/run-of-commit.ts';
import { type Instance, instances } from '#shared/model/tests/instance.ts';
import { storable, summarize } from '#shared/results/group-summary.ts';
import type { Services } from '#shared/services.ts';
import { groupsToAnnounce } from './announced.ts';
import { judgeRun } from './judge-run.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';
import { findRepeatedTests } from './repeated-tests.ts';
import { settleRun } from './settle-run.ts';
import { endState, mayPass } from './states.ts';

interface HowItEnds {
  readonly ending: RunEnding;
  readonly cancellation?: Run['cancellation'];
  /** Called with the current rows at each attempt. The run does not end if this function returns `undefined`. */
  readonly when?: (run: Run, instances: readonly Instance[]) => Condition | undefined;
}

/** Ends a run. Returns `undefined` if this call did not end it. */
export async function endRun(services: Services, key: RunKey, how: HowItEnds): Promise<Run | undefined> {
  const { table } = services;
  let ended: Run | undefined;
  await retryOptimistically('end of a run', async () => {
    const run = await table.get(runs, key, { consistent: true });
    if (!run || !isUnderWay(run)) return true;
    if (how.ending !== 'finish') await settleRun(services, run, { hasEnded: false });
    const all = await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), { consistent: true });
    const when = how.when ? how.when(run, all) : PRESENT;
    if (!when) return true;
    ended = await tryToEnd(services, { run, instances: all }, how, when);
    return ended !== undefined;
  });
  if (!ended || how.ending === 'finish') return ended;
  await settleRun(services, key, { hasEnded: true });
  // Results that arrived after the instances were read did not update the status, because the run was still in
  // progress.
  await judgeRun(services, key);
  return ended;
}

async function tryToEnd(
  services: Services,
  { run, instances: all }: { readonly run: Run; readonly instances: readonly Instance[] },
  { ending, cancellation }: HowItEnds,
  when: Condition,
): Promise<Run | undefined> {
  const { table, now } = services;
  const isFinish = ending === 'finish';
  const members = await table.queryAll(groups, getRunMembersSpan(run, 'GROUP'), { consistent: true });
  const groupIds = members.map(({ groupId }) => groupId);
  const endedAt = cancellation?.canceledAt ?? now();
  const state = endState(ending, run, all);
  const after: Run = { ...run, ...state, endedAt, cancellation };
  // Tests of a cancelled or timed-out run may still report, so a stored summary would soon be outdated.
  const summary = isFinish ? storable(summarize(after, members, all, endedAt)) : undefined;
  const events = makeRunEnded(ending, {
    run: after,
    groups: isFinish ? groupsToAnnounce(run, { status: state.status, members, instances: all }) : members,
    instances: all,
    hasSeveralGroups: members.length > 1,
    sameVerdict: run.announced?.status === state.status,
    at: endedAt,
  });
  const listed = isFinish ? listingOf(run, groupIds) : undefined;
  const written: Partial<Run> = {
    ...state,
    endedAt,
    cancellation,
    listed,
    groups: summary,
    repeated: await findRepeatedTests(services, all),
    // Requests that read the run before it ended may still store results. A scheduled sweep counts these results later.
    dueAt: isFinish ? undefined : now() + LIFECYCLE_LIMITS.settlePauseMilliseconds,
  };
  const done = await table.transact([
    // The update fails if a group started in the meantime. Without this condition, no event would report the end of
    // that group.
    update(
      runs,
      run,
      run.ends === undefined
        ? { set: toAssignments(written) }
        : { set: toAssignments(written), remove: ['announced', ...(isFinish ? ['lingers'] : [])] },
      {
        // If a test failed in the meantime, the status is FAILING. In that case, this attempt fails, and the next
        // attempt reads the instances again.
        all: [mayPass(ending), unchanged('status', run), unchanged('groupsStarted', run), when],
      },
    ),
    ...buildOutboxPuts(events),
    ...(listed ? [put(completeRuns, { ...run, ...listed, expiresAt: run.expiry.results })] : []),
    ...updateRunOfCommit(after, { groupIds, instances: all }),
    ...moveDue(run, written.dueAt),
    ...(run.ends === undefined ? markEnded : markEndedAgain)(run, endedAt),
  ]);
  return done ? after : undefined;
}

/**
 * The entry of the run in the list of complete runs, or `undefined` if the run has no branch. Later runs are compared
 * only with complete runs, because cancelled and timed-out runs lack results of some tests.
 */
const listingOf = ({ commit: { branch } }: Run, groupIds: readonly string[]): Listing | undefined =>
  branch ? { branch, groups: hashGroups(groupIds) } : undefined;

/**
 * Moves the entry of the run in the index of due runs, or removes it if `dueAt` is `undefined`. If the time is
 * unchanged, nothing is written, because a transaction must not both remove and write the same row.
 */
function moveDue(run: Run, dueAt: number | undefined): Write[] {
  if (dueAt === run.dueAt) return [];
  const { organizationId, runId } = run;
  return [remove(dueRuns, run), ...(dueAt === undefined ? [] : [put(dueRuns, { organizationId, runId, dueAt })])];
}

const unchanged = (path: 'status' | 'groupsStarted', run: Run): Condition => ({ path, equals: run[path] });
