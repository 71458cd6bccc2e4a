/** What a command prints at its end. */
import type { CommandFailure } from './settings/failure.ts';

export interface CommandResult {
  readonly output: string;
  /** Files and spools that were not accepted, while the others were. */
  readonly refused: readonly CommandFailure[];
}

export const toJsonProblem = ({ message, next }: CommandFailure) => ({ error: message, next });
