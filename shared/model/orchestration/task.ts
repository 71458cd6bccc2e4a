/**
 * The assignment of a batch to a machine. The first machine that writes the row gets the batch. Access patterns: by the
 * number of the batch; all assignments of a session.
 */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import { type SessionKey, sessionPartition, WITH_SESSION } from './session.ts';

interface TaskKey extends SessionKey {
  readonly batch: number;
}

export interface Task extends TaskKey, Expiring {
  /** The machine that has the batch. Absent if the batch was returned to the session and no machine has taken it. */
  readonly machineId?: string;
  /** The spec files that were left to run when the batch was returned to the session. Default: all of the batch. */
  readonly left?: readonly string[];
}

const BATCH_DIGITS = 6;

export const tasks: Entity<TaskKey, Task> & GoesWithRun = {
  type: 'orchestration task',
  guarded: false,
  removal: WITH_SESSION,
  patterns: [
    { question: 'The machine that has a batch', key: 'pk = ORCHESTRATION#org#run, sk = TASK#batch' },
    { question: 'All assigned batches of a session', key: 'pk = ORCHESTRATION#org#run, sk begins with TASK#' },
  ],
  key: (task) => ({
    pk: sessionPartition(task),
    sk: composed('TASK', String(task.batch).padStart(BATCH_DIGITS, '0')),
  }),
  store: attributesOf,
  load: stored,
};

export const tasksSpan = (of: SessionKey) => beginningWith(sessionPartition(of), prefix('TASK'));
