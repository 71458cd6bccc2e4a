/** §5.2 Reads the states of the issues of a project from their trackers. */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { KnownIssue } from '#shared/model/issues/known-issue.ts';
import { ISSUE_LIMITS } from '../limits.ts';
import { findTrackerProblem, TrackerPaused, TrackerUnusable } from './connections.ts';
import { AUTOMATION_LIMITS } from './limits.ts';
import { type Pass, subtractDays } from './pass.ts';

/**
 * Whether the state of the issue is still read regularly: while its test is quarantined because of an issue, and for
 * some time after the test last failed or was flaky.
 */
export const isFollowed = ({ quarantined, services }: Pick<Pass, 'quarantined' | 'services'>, issue: KnownIssue) =>
  quarantined.has(issue.signature) || issue.seenAt >= subtractDays(services.now(), AUTOMATION_LIMITS.followedDays);

/** States are due once in each 15-minute interval, even if the last one was read less than 15 minutes ago. */
const computeSlot = (at: number): number => Math.floor(at / ISSUE_LIMITS.stateMilliseconds);

/** Reads the states that are due, least recently read first. If there are too many, a later pass reads the rest. */
export async function readStates(pass: Pass): Promise<void> {
  const now = pass.services.now();
  const linksByTrackerIssue = pass.issues
    .groupByTrackerIssue()
    .map((links) => links.toSorted((one, other) => one.checkedAt - other.checkedAt));
  const followedLinks = linksByTrackerIssue.filter((links) => links.some((link) => isFollowed(pass, link)));
  const usableIds = await pass.connections.listUsable(followedLinks.flatMap(([oldest]) => oldest?.integrationId ?? []));
  const dueIssues = followedLinks
    .flatMap(([oldest]) => oldest ?? [])
    .filter(({ integrationId, checkedAt }) => usableIds.has(integrationId) && computeSlot(checkedAt) < computeSlot(now))
    .toSorted((one, other) => one.checkedAt - other.checkedAt)
    .slice(0, AUTOMATION_LIMITS.statesPerPass);
  await mapConcurrently(dueIssues, (issue) => readState(pass, issue), AUTOMATION_LIMITS.statesAtOnce);
}

async function readState({ connections, issues, note }: Pass, issue: KnownIssue): Promise<void> {
  try {
    await issues.store(issue, await connections.ask(issue.integrationId, (tracker) => tracker.get(issue.key)));
  } catch (error) {
    if (error instanceof TrackerPaused || error instanceof TrackerUnusable) return;
    const problem = findTrackerProblem(error);
    if (problem?.verdict.kind === 'missing') return issues.store(issue, undefined);
    if (problem === undefined) throw error;
    note(`The state of ${issue.key} could not be read. ${problem.message}`);
  }
}
