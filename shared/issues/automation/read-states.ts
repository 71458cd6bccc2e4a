/** §5.2 Reads the states of issues from their trackers. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { KnownIssue } from '#shared/model/tests/known-issue.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import { problemIn, TrackerPaused, TrackerUnusable } from './connections.ts';
import { AUTOMATION_LIMITS } from './limits.ts';
import { daysBefore, type Pass } from './pass.ts';

/**
 * Whether the state of the issue is still read regularly: while its test is quarantined because of an issue, and for
 * some time after the test last failed or was flaky.
 */
export const isFollowed = ({ quarantined, services }: Pick<Pass, 'quarantined' | 'services'>, issue: KnownIssue) =>
  quarantined.has(issue.signature) || issue.seenAt >= daysBefore(services.now(), AUTOMATION_LIMITS.followedDays);

/**
 * The number of the 15-minute interval. A state is due again in the next interval, even if it was read less than 15
 * minutes ago.
 */
const slotOf = (at: number): number => Math.floor(at / ISSUE_LIMITS.stateMilliseconds);

/** Reads the states that are due, least recently read first. If there are too many, a later pass reads the rest. */
export async function readStates(pass: Pass): Promise<void> {
  const now = pass.services.now();
  const all = pass.issues.byTrackerIssue();
  const usable = await pass.connections.usable(all.flatMap(([first]) => first?.integrationId ?? []));
  const due = all
    .flatMap((links) => {
      const [first] = links.toSorted((one, other) => one.checkedAt - other.checkedAt);
      const isDue = first && usable.has(first.integrationId) && slotOf(first.checkedAt) < slotOf(now);
      return isDue && links.some((link) => isFollowed(pass, link)) ? first : [];
    })
    .toSorted((one, other) => one.checkedAt - other.checkedAt)
    .slice(0, AUTOMATION_LIMITS.statesPerPass);
  await mapConcurrently(due, (issue) => readState(pass, issue), AUTOMATION_LIMITS.statesAtOnce);
}

async function readState({ connections, issues, note }: Pass, issue: KnownIssue): Promise<void> {
  try {
    await issues.store(issue, await connections.ask(issue.integrationId, (tracker) => tracker.get(issue.key)));
  } catch (error) {
    if (error instanceof TrackerPaused || error instanceof TrackerUnusable) return;
    const problem = problemIn(error);
    if (problem?.verdict.kind === 'missing') return issues.store(issue, undefined);
    if (problem === undefined) throw error;
    note(`The state of ${issue.key} could not be read. ${problem.message}`);
  }
}
