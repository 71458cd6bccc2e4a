/** How far work has got that goes through many rows and may be cut off. Asked for: by the name of the work. */
import type { Entity } from '../table/entity.ts';
import { composed } from '../table/keys.ts';
import { stored } from '../table/stored.ts';

export interface Checkpoint {
  readonly work: string;
  /** Sort key of the last row that was done. */
  readonly position: string;
  /** Milliseconds. */
  readonly savedAt: number;
}

export const checkpoints: Entity<Pick<Checkpoint, 'work'>, Checkpoint> = {
  type: 'checkpoint',
  patterns: [{ question: 'Where work goes on that was cut off', key: 'pk = CHECKPOINT#work, sk = CHECKPOINT' }],
  key: ({ work }) => ({ pk: composed('CHECKPOINT', work), sk: 'CHECKPOINT' }),
  store: (checkpoint) => ({ ...checkpoint }),
  load: (row) => stored<Checkpoint>(row),
};
