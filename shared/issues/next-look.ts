/** §5.2 Schedules the next look at the issues of a project. */
import { put, update, type Write } from '#shared/engine/table/writes.ts';
import { dueIssues, getNextMultiple } from '#shared/model/due.ts';
import { issueTracking } from '#shared/model/issues/issue-automation.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { ISSUE_LIMITS } from './limits.ts';

/** Each change that requires a look at the project includes these writes in its transaction. */
export function planLookWrites({ organizationId, projectId }: ProjectKey, now: number) {
  const project = { organizationId, projectId };
  const dueAt = getNextMultiple(now, ISSUE_LIMITS.stateMilliseconds);
  return [
    update(issueTracking, project, { set: Object.entries({ ...project, askedAt: now }), remove: ['problem'] }),
    put(dueIssues, { ...project, dueAt }),
  ] satisfies Write[];
}
