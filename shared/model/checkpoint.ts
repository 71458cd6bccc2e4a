/** The position that a long-running job has reached, so that it can continue after an interruption. */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';

export interface Checkpoint {
  readonly work: string;
  /** Sort key of the last row that was processed. */
  readonly position: string;
  /** In epoch milliseconds. */
  readonly savedAt: number;
}

export const checkpoints: Entity<Pick<Checkpoint, 'work'>, Checkpoint> = {
  type: 'checkpoint',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'The checkpoint of interrupted work' }],
  key: ({ work }) => ({ pk: composeKey('CHECKPOINT', work), sk: 'CHECKPOINT' }),
  store: toAttributes,
  load: loadAttributes,
};
