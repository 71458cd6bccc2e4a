/** The assignment of a batch to a machine. The first machine that writes the row gets the batch. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import { getSessionPartition, type SessionKey, WITH_SESSION } from './session.ts';

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
    { question: 'The machine that has a batch' },
    { question: 'All assigned batches of a session', begins: 'TASK#' },
  ],
  key: (task) => ({
    pk: getSessionPartition(task),
    sk: composeKey('TASK', String(task.batch).padStart(BATCH_DIGITS, '0')),
  }),
  store: toAttributes,
  load: loadAttributes,
};

export const getTasksSpan = (key: SessionKey) => getPrefixSpan(getSessionPartition(key), composePrefix('TASK'));
