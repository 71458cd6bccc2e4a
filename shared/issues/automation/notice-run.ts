/** §5.2 Remembers that a run has ended, if its project has issues or automation. The schedule then looks at the run. */

import { DAY_SECONDS } from '#shared/engine/durations.ts';
import { put } from '#shared/engine/table/writes.ts';
import { dueIssues, getNextMultiple } from '#shared/model/due.ts';
import type { RunEnded } from '#shared/model/events/domain-event.ts';
import { endedRuns, issueTracking } from '#shared/model/issues/issue-automation.ts';
import type { WithClock } from '#shared/services.ts';
import { AUTOMATION_LIMITS } from './limits.ts';

/**
 * Lists the run for the next pass of the automation. A repetition writes the same rows. For a project without issues and
 * automation, this costs half a read unit.
 */
export async function rememberEndedRun(
  { table, now }: WithClock,
  {
    organizationId,
    projectId,
    runId,
    runCreatedAt: createdAt,
    ending,
    commit: { branch },
  }: Pick<RunEnded, 'organizationId' | 'projectId' | 'runId' | 'runCreatedAt' | 'ending' | 'commit'>,
): Promise<void> {
  // Cancelled and timed-out runs may lack results, so they say nothing about an issue.
  if (ending !== 'finish') return;
  const project = { organizationId, projectId };
  if (!(await table.get(issueTracking, project))) return;
  const expiresAt = Math.ceil(now() / 1000) + AUTOMATION_LIMITS.runDays * DAY_SECONDS;
  const dueAt = getNextMultiple(now(), AUTOMATION_LIMITS.runMilliseconds);
  await table.writeMany([
    put(endedRuns, { ...project, runId, createdAt, branch, expiresAt }),
    put(dueIssues, { ...project, dueAt }),
  ]);
}
