/**
 * The position that a long-running job has reached, so that it can continue after an interruption. Access pattern: by
 * the name of the job.
 */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composed } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';

export interface Checkpoint {
  readonly work: string;
  /** Sort key of the last row that was processed. */
  readonly position: string;
  /** Time of the checkpoint, in epoch milliseconds. */
  readonly savedAt: number;
}

export const checkpoints: Entity<Pick<Checkpoint, 'work'>, Checkpoint> = {
  type: 'checkpoint',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'The checkpoint of interrupted work', key: 'pk = CHECKPOINT#work, sk = CHECKPOINT' }],
  key: ({ work }) => ({ pk: composed('CHECKPOINT', work), sk: 'CHECKPOINT' }),
  store: attributesOf,
  load: stored,
};
