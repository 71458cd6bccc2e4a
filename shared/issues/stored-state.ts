/** What changes in a known issue after its state was read from its tracker. */
import type { Changes } from '#shared/engine/table/update.ts';
import type { KnownIssue } from '#shared/model/issues/known-issue.ts';
import type { TrackerIssue } from './trackers/tracker.ts';

/**
 * `trackerIssue` is `undefined` if the tracker no longer has the issue. For a reopened issue, passes are counted from
 * 0, and automation may comment on it and close it again.
 */
export function planStateChanges(issue: KnownIssue, trackerIssue: TrackerIssue | undefined, now: number): Changes {
  const { state, stateName, title } = trackerIssue ?? { state: 'done', stateName: 'Deleted', title: issue.title };
  const set = Object.entries({ state, stateName, title, checkedAt: now });
  if (state === 'done') return { set, setIfAbsent: [['doneAt', now]] };
  if (issue.state !== 'done') return { set };
  return { set: [...set, ['passes', 0]], remove: ['doneAt', 'reportedAgain', 'closing'] };
}
