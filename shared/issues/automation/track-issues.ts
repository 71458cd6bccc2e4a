/**
 * §5.2 Looks at the projects that are due. The time of each organization is limited, so that slow trackers of one
 * organization do not hold up the others.
 */
import { processDueRows, type Sweep } from '#shared/engine/table/sweep.ts';
import { put, remove } from '#shared/engine/table/writes.ts';
import { type DueIssues, dueIssues, getNextMultiple } from '#shared/model/due.ts';
import type { TrackerServices } from '../open-integration.ts';
import { AUTOMATION_LIMITS } from './limits.ts';
import { lookAtProject, type NextLook } from './look-at-project.ts';

export interface TrackedIssues extends Sweep {
  /** The number of projects that were looked at, or postponed because their organization had used up its time. */
  readonly looked: number;
}

export async function trackIssues(
  services: TrackerServices,
  time: Parameters<typeof processDueRows>[1],
): Promise<TrackedIssues> {
  const { table, now } = services;
  const spentMilliseconds = new Map<string, number>();
  const looks = new Map<string, Promise<NextLook>>();
  let left = 0;

  const look = async (due: DueIssues): Promise<NextLook> => {
    const { organizationId } = due;
    if ((spentMilliseconds.get(organizationId) ?? 0) > AUTOMATION_LIMITS.organizationMilliseconds)
      return { kind: 'at', dueAt: getNextMultiple(now(), AUTOMATION_LIMITS.runMilliseconds) };
    const began = now();
    try {
      return await lookAtProject(services, due, time);
    } finally {
      spentMilliseconds.set(organizationId, (spentMilliseconds.get(organizationId) ?? 0) + now() - began);
    }
  };

  const handle = async (due: DueIssues): Promise<void> => {
    if (time.remainingMilliseconds() < AUTOMATION_LIMITS.marginMilliseconds) {
      left += 1;
      return;
    }
    const { organizationId, projectId } = due;
    const project = `${organizationId} ${projectId}`;
    // A project may be due twice, for its ended runs and for its states.
    const looking = looks.get(project) ?? look(due);
    looks.set(project, looking);
    const next = await looking;
    switch (next.kind) {
      case 'busy':
        return;
      case 'at':
        return table.writeMany([
          put(dueIssues, { organizationId, projectId, dueAt: next.dueAt }),
          remove(dueIssues, due),
        ]);
      case 'never':
        return table.writeMany([remove(dueIssues, due)]);
    }
  };

  const result = await processDueRows(services, time, dueIssues, handle);
  return { ...result, finished: result.finished && left === 0, looked: looks.size };
}
