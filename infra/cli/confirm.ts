/** Asks for confirmation before a change. */
import { createInterface } from 'node:readline/promises';
import { TERMINAL, type Terminal } from './terminal/terminal.ts';
import { UsageError } from './terminal/usage-error.ts';

export class NotConfirmed extends Error {
  override name = 'NotConfirmed';
}

/** Throws if the answer is not yes, or if there is no terminal to ask. */
export async function confirm({ input, errors }: Terminal = TERMINAL): Promise<void> {
  if (input === undefined)
    throw new UsageError('Confirmation needs a terminal. Add --yes to continue without confirmation');
  const terminal = createInterface({ input, output: errors });
  const answer = await terminal.question('Continue? Type yes: ');
  terminal.close();
  if (answer.trim() !== 'yes') throw new NotConfirmed('Not confirmed. Nothing was changed');
}
